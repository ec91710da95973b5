// Reads a server-sent event stream as it arrives: the data of messages goes on to a message tap in pieces, because
// one event may have megabytes.

export interface EventStreamListener {
  /** Receives pieces of the data of an event that may be a message. */
  readonly onData: (piece: Uint8Array) => void;
  readonly onMessageEnd: () => void;
  /** Receives the address to which a client of the 2024-11-05 transport posts. */
  readonly onEndpoint: (address: string) => void;
  /** The stream can be resumed after an event. */
  readonly onEventId: () => void;
}

export interface EventStreamReader {
  push(chunk: Uint8Array): void;
}

const LF = 0x0a;
const COLON = 0x3a;
const SPACE = new Uint8Array([0x20]);
/** Longer than the name of any field. */
const MAX_NAME_BYTES = 32;
/** Bytes of the values that are read as text. */
const MAX_TEXT_BYTES = 4_096;

/** Lines end with LF or CRLF; the CR alone that the format also permits is not recognised. */
export function createEventStreamReader(listener: EventStreamListener): EventStreamReader {
  let head: number[] = [];
  let field: string | undefined;
  let text: Uint8Array[] = [];
  let textBytes = 0;
  let event = '';
  let hasData = false;

  function takeHead(piece: Uint8Array): Uint8Array | undefined {
    const colon = piece.indexOf(COLON);
    const name = colon < 0 ? piece : piece.subarray(0, colon);
    head.push(...name.subarray(0, MAX_NAME_BYTES - head.length));
    if (colon < 0) return undefined;
    field = String.fromCharCode(...head);
    return piece.subarray(colon + 1);
  }

  function takePiece(piece: Uint8Array): void {
    const value = field === undefined ? takeHead(piece) : piece;
    if (value === undefined || value.length === 0) return;
    const isMessage = event === '' || event === 'message';
    if (field === 'data' && isMessage) {
      hasData = true;
      listener.onData(value);
    } else if (textBytes < MAX_TEXT_BYTES) {
      const kept = value.slice(0, MAX_TEXT_BYTES - textBytes);
      textBytes += kept.length;
      text.push(kept);
    }
  }

  function endLine(): void {
    const value = Buffer.concat(text).toString().trim();
    if (field === 'event') event = value;
    else if (field === 'id' && value !== '') listener.onEventId();
    else if (field === 'data' && event === 'endpoint') listener.onEndpoint(value);
    // The lines of one event's data are joined by a line break, which is white space between the values of JSON.
    else if (field === 'data' && hasData) listener.onData(SPACE);
    else if (isBlank()) endEvent();
    head = [];
    field = undefined;
    text = [];
    textBytes = 0;
  }

  function isBlank(): boolean {
    return field === undefined && String.fromCharCode(...head).trim() === '';
  }

  function endEvent(): void {
    if (hasData) listener.onMessageEnd();
    hasData = false;
    event = '';
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        takePiece(chunk.subarray(from, at));
        endLine();
        from = at + 1;
      }
      if (from < chunk.length) takePiece(chunk.subarray(from));
    },
  };
}

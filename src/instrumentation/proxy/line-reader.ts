// Cuts a stream of bytes into lines, for reading along. A line that is too long is handed out in pieces, not kept: the
// proxy forwards it all the same, but must not grow with it.

export interface LineReader {
  /** Takes the next bytes. Lines that end in them are handed out at once. */
  push(chunk: Uint8Array): void;
  /** Bytes are missing here: of the line that is on its way, and of lines nobody knows. */
  skip(): void;
  /** The stream is over: what has no newline behind it is a line too. */
  end(): void;
}

export interface LineReaderOptions {
  /** Bytes of the longest line that is handed out whole. */
  readonly maxBytes: number;
  /** Gets a line without its LF; a CR before it stays, JSON does not mind. */
  readonly onLine: (bytes: Uint8Array) => void;
  /** Gets a longer one piece by piece, from its start. */
  readonly onLongPiece: (bytes: Uint8Array) => void;
  /** A longer one has ended. */
  readonly onLongEnd: (length: number) => void;
  /** A line of which bytes are missing has ended. */
  readonly onBroken: () => void;
}

const LF = 0x0a;

/** Creates a reader at the start of a stream. */
export function createLineReader({
  maxBytes,
  onLine,
  onLongPiece,
  onLongEnd,
  onBroken,
}: LineReaderOptions): LineReader {
  // Pieces of the line that has not ended yet; put together once, so that a long line costs no more than its length.
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isBroken = false;

  function add(piece: Uint8Array): void {
    if (isBroken) return;
    length += piece.length;
    pieces.push(piece);
    if (length <= maxBytes) return;
    for (const held of pieces.splice(0)) onLongPiece(held);
  }

  function finish(): void {
    const [first] = pieces;
    if (isBroken) onBroken();
    else if (length > maxBytes) onLongEnd(length);
    else if (first !== undefined && length > 0) onLine(pieces.length === 1 ? first : Buffer.concat(pieces));
    pieces = [];
    length = 0;
    isBroken = false;
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        add(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
    skip() {
      pieces = [];
      length = 0;
      isBroken = true;
    },
    end: finish,
  };
}

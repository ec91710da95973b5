// Cuts a stream of bytes into lines, for reading along. A line that is too long is skipped, not kept: the proxy forwards
// it all the same, but must not grow with it.

export interface LineReader {
  /** Takes the next bytes. Lines that end in them are handed out at once. */
  push(chunk: Uint8Array): void;
  /** The stream is over: what has no newline behind it is a line too. */
  end(): void;
}

export interface LineReaderOptions {
  /** Bytes of the longest line that is handed out. */
  readonly maxBytes: number;
  /** Gets a line without its LF; a CR before it stays, JSON does not mind. */
  readonly line: (bytes: Uint8Array) => void;
  /** Hears of a line that was too long, once a line. */
  readonly tooLong: () => void;
}

const LF = 0x0a;

/** Creates a reader at the start of a stream. */
export function createLineReader({ maxBytes, line, tooLong }: LineReaderOptions): LineReader {
  // Pieces of the line that has not ended yet; put together once, so that a long line costs no more than its length.
  let pieces: Uint8Array[] = [];
  let length = 0;

  function add(piece: Uint8Array): void {
    const wasTooLong = length > maxBytes;
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else if (!wasTooLong) {
      pieces = [];
      tooLong();
    }
  }

  function finish(): void {
    const [first] = pieces;
    if (first !== undefined && length > 0 && length <= maxBytes) {
      line(pieces.length === 1 ? first : Buffer.concat(pieces));
    }
    pieces = [];
    length = 0;
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
    end: finish,
  };
}

// Splits a byte stream into lines for observation. An overlong line is passed on in pieces and not buffered,
// so that memory stays bounded.

export interface LineReader {
  /** Takes the next bytes and reports the lines that end in them. */
  push(chunk: Uint8Array): void;
  /** Bytes in the middle of an overlong line that are not needed. */
  pass(length: number): void;
  /** Marks a gap: bytes of the current line, and possibly further lines, are missing. */
  skip(): void;
  /** Remaining bytes without a newline count as a line. */
  end(): void;
}

export interface LineReaderOptions {
  /** Length of the longest line that is reported as a whole, in bytes. */
  readonly maxBytes: number;
  /** Receives a line without its LF; a preceding CR stays, because JSON permits it. */
  readonly onLine: (bytes: Uint8Array) => void;
  /** Receives a longer line in pieces, from its start. */
  readonly onLongPiece: (bytes: Uint8Array) => void;
  /** Called where bytes of a longer line were left out. */
  readonly onLongPassed: () => void;
  readonly onLongEnd: (length: number) => void;
  readonly onBroken: () => void;
}

const LF = 0x0a;

export function createLineReader({
  maxBytes,
  onLine,
  onLongPiece,
  onLongPassed,
  onLongEnd,
  onBroken,
}: LineReaderOptions): LineReader {
  // Pieces of the current line. They are joined once at the end, so that the cost is linear in its length.
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isBroken = false;
  let isLong = false;

  function add(piece: Uint8Array): void {
    if (isBroken) return;
    length += piece.length;
    pieces.push(piece);
    isLong ||= length > maxBytes;
    if (isLong) takePieces();
  }

  function takePieces(): void {
    for (const held of pieces.splice(0)) onLongPiece(held);
  }

  function finish(): void {
    const [first] = pieces;
    if (isBroken) onBroken();
    else if (isLong) onLongEnd(length);
    else if (first !== undefined && length > 0) onLine(pieces.length === 1 ? first : Buffer.concat(pieces));
    pieces = [];
    length = 0;
    isBroken = false;
    isLong = false;
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
    pass(skipped) {
      if (isBroken) return;
      isLong = true;
      takePieces();
      length += skipped;
      onLongPassed();
    },
    skip() {
      pieces = [];
      length = 0;
      isBroken = true;
    },
    end: finish,
  };
}

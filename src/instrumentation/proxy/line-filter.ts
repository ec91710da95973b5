// Decides which lines of a stream pass; the owner of the bytes applies the decisions. A long line is decided
// as soon as enough of its beginning is known.

/** The next `length` bytes of the stream pass, or do not. */
export interface LineDecision {
  readonly length: number;
  readonly passes: boolean;
}

export interface LineFilter {
  /** Returns the decisions made now. A line is held until it ends, or until enough of it is known. */
  push(chunk: Uint8Array): readonly LineDecision[];
  /** Remaining bytes without a newline count as a line. */
  end(): readonly LineDecision[];
}

/** Reads a long line from its start, until it can be decided. */
export interface LongLineFilter {
  /** @returns undefined while undecided; only the first decision counts */
  read(piece: Uint8Array): boolean | undefined;
  /** Ends the line, of `length` bytes with its line end; returns whether it passes, if still undecided. */
  end(length: number): boolean;
}

export interface LineFilterOptions {
  /** Length of the longest line that is decided as a whole, in bytes. */
  readonly maxBytes: number;
  /** Bytes of a longer line that are held while undecided; after that it passes. */
  readonly maxHeldBytes: number;
  /** Whether a line, with its line end, passes; called once per line, in order. */
  readonly accepts: (line: Uint8Array) => boolean;
  readonly createLongLineFilter: () => LongLineFilter;
}

const LF = 0x0a;
const BRACE = 0x7b;

export function createLineFilter(options: LineFilterOptions): LineFilter {
  const { maxBytes, maxHeldBytes, accepts, createLongLineFilter } = options;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let length = 0;
  let long: LongLineFilter | undefined;
  /** Decision about the current line, once it is known. */
  let passes: boolean | undefined;

  function decideHeld(): LineDecision[] {
    if (passes === undefined || heldBytes === 0) return [];
    const decision = { length: heldBytes, passes };
    heldBytes = 0;
    return [decision];
  }

  function read(piece: Uint8Array): void {
    if (long === undefined && length > maxBytes) {
      long = createLongLineFilter();
      for (const earlier of held.splice(0)) readLong(long, earlier);
    }
    if (long === undefined) held.push(piece);
    else readLong(long, piece);
  }

  function readLong(line: LongLineFilter, piece: Uint8Array): void {
    const decision = line.read(piece);
    passes ??= decision;
  }

  function add(piece: Uint8Array): LineDecision[] {
    length += piece.length;
    heldBytes += piece.length;
    read(piece);
    if (heldBytes > maxHeldBytes) passes ??= true;
    return decideHeld();
  }

  function finish(): LineDecision[] {
    const [first] = held;
    const line = held.length === 1 ? first : Buffer.concat(held);
    const decision = long?.end(length);
    passes ??= decision ?? (line === undefined || line.length === 0 || accepts(line));
    const decisions = decideHeld();
    held = [];
    length = 0;
    long = undefined;
    passes = undefined;
    return decisions;
  }

  /** Skips whole lines without a brace, which cannot be messages; returns where they end. */
  function skipNonMessages(chunk: Uint8Array, from: number): number {
    const brace = chunk.indexOf(BRACE, from);
    if (length > 0 || brace === from) return from;
    return Math.max(from, chunk.lastIndexOf(LF, brace < 0 ? chunk.length - 1 : brace) + 1);
  }

  return {
    push(chunk) {
      const decisions: LineDecision[] = [];
      let from = 0;
      while (from < chunk.length) {
        const line = skipNonMessages(chunk, from);
        if (line > from) decisions.push({ length: line - from, passes: true });
        if (line === chunk.length) break;
        const end = chunk.indexOf(LF, line) + 1;
        decisions.push(...add(chunk.subarray(line, end || chunk.length)), ...(end > 0 ? finish() : []));
        from = end || chunk.length;
      }
      return decisions;
    },
    end: finish,
  };
}

// Rules which lines of a stream pass; whoever holds the bytes does as it says. Of a long line only a beginning is waited
// for: it passes, or is kept back, as soon as enough of it is known.

/** The next so many bytes of the stream pass, or do not. */
export interface LineDecision {
  readonly length: number;
  readonly passes: boolean;
}

export interface LineFilter {
  /** Takes the next bytes; returns what is ruled now. A line is held until its end has come, or enough of it. */
  push(chunk: Uint8Array): readonly LineDecision[];
  /** The stream is over: what has no newline behind it is a line too. */
  end(): readonly LineDecision[];
}

/** Reads a long line from its start, until it can say whether it passes. */
export interface LongLineFilter {
  /** @returns undefined while it cannot be said; only the first word counts */
  read(piece: Uint8Array): boolean | undefined;
  /** The line, of so many bytes with its line end, is over. @returns whether it passes, where it could not be said before */
  end(length: number): boolean;
}

export interface LineFilterOptions {
  /** Bytes of the longest line that is asked about whole. */
  readonly maxBytes: number;
  /** Bytes of a longer one that are held while nothing can be said; then it passes. */
  readonly maxHeldBytes: number;
  /** Whether a line, with its line end, passes; asked once a line, in order. */
  readonly accepts: (line: Uint8Array) => boolean;
  readonly createLongLineFilter: () => LongLineFilter;
}

const LF = 0x0a;
const BRACE = 0x7b;

/** Creates a gate at the start of a stream. */
export function createLineFilter(options: LineFilterOptions): LineFilter {
  const { maxBytes, maxHeldBytes, accepts, createLongLineFilter } = options;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let length = 0;
  let long: LongLineFilter | undefined;
  /** Of the line that is on its way, once it is known. */
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

  /** Whole lines without a brace are no messages: they need not be looked at one by one. @returns where they end */
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

// Lets the lines of a stream pass one by one, or keeps one back. What passes is the very bytes that came, line ends and
// all. A line that is too long passes unasked, in pieces: it must not be kept in memory.

export interface LineGate {
  /** Takes the next bytes; returns what passes now. A line is held until its end has come. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The stream is over: what has no newline behind it is a line too. */
  end(): readonly Uint8Array[];
}

export interface LineGateOptions {
  /** Bytes of the longest line that is asked about. */
  readonly maxBytes: number;
  /** Whether a line, with its line end, passes; asked once a line, in order. */
  readonly admits: (line: Uint8Array) => boolean;
}

const LF = 0x0a;

/** Creates a gate at the start of a stream. */
export function createLineGate({ maxBytes, admits }: LineGateOptions): LineGate {
  let held: Uint8Array[] = [];
  let length = 0;
  let isPassing = false;

  function add(piece: Uint8Array): readonly Uint8Array[] {
    if (isPassing) return [piece];
    held.push(piece);
    length += piece.length;
    if (length <= maxBytes) return [];
    isPassing = true;
    return held.splice(0);
  }

  function finish(): readonly Uint8Array[] {
    const [first] = held;
    const line = held.length === 1 ? first : Buffer.concat(held);
    const passes = first !== undefined && line !== undefined && admits(line) ? [line] : [];
    held = [];
    length = 0;
    isPassing = false;
    return passes;
  }

  return {
    push(chunk) {
      const passing: Uint8Array[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        passing.push(...add(chunk.subarray(from, at + 1)), ...finish());
        from = at + 1;
      }
      if (from < chunk.length) passing.push(...add(chunk.subarray(from)));
      return passing;
    },
    end: finish,
  };
}

// Puts lines of our own between those of a stream that passes through: never into one of its lines, so one of ours waits
// until the line that is on its way has ended.

export interface LineInterleaver {
  /** Bytes of the stream; returns what goes out now, in order. */
  pass(chunk: Uint8Array): readonly Uint8Array[];
  /** A whole line of ours, with its line end; returns what goes out now: it, or nothing yet. */
  insert(line: Uint8Array): readonly Uint8Array[];
}

const LF = 0x0a;

/** Creates a weaver at the start of a stream. */
export function createLineInterleaver(): LineInterleaver {
  let isBetweenLines = true;
  let waiting: Uint8Array[] = [];

  return {
    pass(chunk) {
      if (chunk.length === 0) return [chunk];
      const end = waiting.length === 0 ? -1 : chunk.indexOf(LF) + 1;
      isBetweenLines = chunk.at(-1) === LF;
      if (end <= 0) return [chunk];
      const inserted = waiting;
      waiting = [];
      const rest = chunk.subarray(end);
      return [chunk.subarray(0, end), ...inserted, ...(rest.length > 0 ? [rest] : [])];
    },
    insert(line) {
      if (isBetweenLines) return [line];
      waiting.push(line);
      return [];
    },
  };
}

// Inserts lines between those of a stream, never within a line: an inserted line waits until the current one
// has ended.

export interface LineInterleaver {
  /** Takes bytes of the stream; returns the bytes to write now, in order. */
  pass(chunk: Uint8Array): readonly Uint8Array[];
  /** Takes a whole line with its line end; returns it if it can be written now, otherwise nothing. */
  insert(line: Uint8Array): readonly Uint8Array[];
}

const LF = 0x0a;

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

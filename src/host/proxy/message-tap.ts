// Reads JSON-RPC messages off a copy of a pipe. What is no message is only counted: servers print banners, and the
// proxy is not their judge.

import { createLineReader } from './line-reader.ts';

/** UTF-8 text longer than this is forwarded unread: parsing it would hold up both directions. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface MessageTap {
  read(chunk: Uint8Array): void;
  end(): void;
  /** Lines that were not JSON objects or arrays, or too long to read. */
  readonly unread: number;
}

/**
 * Creates a tap on one direction.
 * @param message gets each parsed line; what it throws is swallowed, as forwarding must go on
 */
export function createMessageTap(message: (parsed: unknown) => void): MessageTap {
  let unread = 0;
  const lines = createLineReader({
    maxBytes: MAX_LINE_BYTES,
    line(bytes) {
      const start = firstByte(bytes);
      if (start === undefined) return;
      if (start !== BRACE && start !== BRACKET) {
        unread += 1;
        return;
      }
      try {
        message(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()));
      } catch {
        // Not JSON, or our own reading of it failed: either way this line has no call, and goes on untouched.
        unread += 1;
      }
    },
    tooLong() {
      unread += 1;
    },
  });
  return {
    read: lines.push,
    end: lines.end,
    get unread() {
      return unread;
    },
  };
}

const BRACE = 0x7b;
const BRACKET = 0x5b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/** The first byte that is no white space; undefined for an empty line. */
function firstByte(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => !WHITE_SPACE.has(byte));
}

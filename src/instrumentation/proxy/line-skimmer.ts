// Leaves out the middle of long lines before they are observed: what is read of them is at their ends. A line of
// 16 MB then costs a search for its end, and no copy.

import { TAIL_BYTES } from './message-tail.ts';
import { MAX_PARSED_BYTES } from './parse-message-line.ts';

/** What is observed of a stream, in order. */
export type SkimmedPart =
  | {
      readonly kind: 'bytes';
      readonly bytes: Uint8Array;
      /** Whether the bytes were written, so that their memory is no longer needed. */
      readonly isReleased?: (() => boolean) | undefined;
    }
  /** This many bytes in the middle of a line. */
  | { readonly kind: 'skipped'; readonly length: number };

export interface LineSkimmer {
  /** Takes the next bytes. Those of a long line are returned when it ends, without its middle. */
  push(chunk: Uint8Array, isReleased?: () => boolean): readonly SkimmedPart[];
  /** Returns what is held of the current line; the rest of the line is pushed as before. */
  flush(): readonly SkimmedPart[];
}

/** Bytes of each line that are observed at once. */
const HEAD_BYTES = 64 * 1024;

/** Shorter chunks are not held: their number would take more memory than their bytes. */
const MIN_HELD_BYTES = 4 * 1024;

const LF = 0x0a;

/** @param maxBytes length of the longest line that is observed whole */
export function createLineSkimmer(maxBytes: number = MAX_PARSED_BYTES): LineSkimmer {
  let lineBytes = 0;
  let skippedBytes = 0;
  let heldBytes = 0;
  let held: Extract<SkimmedPart, { readonly kind: 'bytes' }>[] = [];

  /** Keeps the last chunks, which have the end of the message if the line ends with the next one. */
  function dropMiddle(): void {
    const kept = held.findIndex(({ bytes }) => {
      if (heldBytes - bytes.length < TAIL_BYTES) return true;
      heldBytes -= bytes.length;
      skippedBytes += bytes.length;
      return false;
    });
    held = held.slice(kept);
  }

  function flush(): readonly SkimmedPart[] {
    const parts = skippedBytes === 0 ? held : [{ kind: 'skipped', length: skippedBytes } as const, ...held];
    skippedBytes = 0;
    heldBytes = 0;
    held = [];
    return parts;
  }

  return {
    push(bytes, isReleased) {
      const lineStart = bytes.lastIndexOf(LF) + 1;
      const isHeld = lineStart === 0 && lineBytes >= HEAD_BYTES && bytes.length >= MIN_HELD_BYTES;
      lineBytes = lineStart === 0 ? lineBytes + bytes.length : bytes.length - lineStart;
      if (!isHeld) return [...flush(), { kind: 'bytes', bytes, isReleased }];
      held.push({ kind: 'bytes', bytes, isReleased });
      heldBytes += bytes.length;
      if (lineBytes > maxBytes) dropMiddle();
      return [];
    },
    flush,
  };
}

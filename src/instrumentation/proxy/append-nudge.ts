// One line of a server's, with a word of the guard's in it. All other bytes stay as they came.

import { findContentEnd } from '../../core/guard/content-end.ts';

/** Gives the block to append to the content of a response; undefined for most messages. */
export type CreateNudge = (message: unknown) => object | undefined;

/** @returns the line with a block appended to its result's content; undefined where it goes on as it is. Never throws. */
export function appendNudge(line: Uint8Array, createNudge: CreateNudge): Uint8Array | undefined {
  try {
    return appendBlock(line, createNudge);
  } catch {
    // No JSON: a banner, or a line that broke. It goes on untouched.
    return undefined;
  }
}

function appendBlock(line: Uint8Array, createNudge: CreateNudge): Uint8Array | undefined {
  const message: unknown = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString());
  const end = findContentEnd(line);
  if (end === undefined) return undefined;
  const block = createNudge(message);
  if (block === undefined) return undefined;
  const text = `${end.isEmpty ? '' : ','}${JSON.stringify(block)}`;
  return Buffer.concat([line.subarray(0, end.at), Buffer.from(text), line.subarray(end.at)]);
}

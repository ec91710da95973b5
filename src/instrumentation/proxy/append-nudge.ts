// Appends the guard's message to one line from the server. All other bytes stay unchanged.

import { findContentEnd } from '../../core/guard/content-end.ts';

/** Returns the block to append to the content of a response; undefined for most messages. */
export type CreateNudge = (message: unknown) => object | undefined;

/**
 * @returns the line with a block appended to its result's content; undefined when the line stays unchanged.
 * Never throws.
 */
export function appendNudge(line: Uint8Array, createNudge: CreateNudge): Uint8Array | undefined {
  try {
    return appendBlock(line, createNudge);
  } catch {
    // Not JSON, for example a banner or a damaged line; it passes unchanged.
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

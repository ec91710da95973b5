// The body of a request, inflated as it arrives. Both limits stop it while it is read: neither a large body nor a small
// one that inflates without end is ever held whole.

import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export type Body =
  | { readonly status: 'read'; readonly bytes: Buffer }
  | { readonly status: 'too_large' }
  /** Not gzip, or gzip that ends in the middle. */
  | { readonly status: 'malformed' }
  /** The sender went away; there is nobody to answer. */
  | { readonly status: 'aborted' };

export type ContentEncoding = 'identity' | 'gzip';

class TooLarge extends Error {}

/**
 * Reads a body to its end, or until it is too large.
 * @param limitBytes of what is sent, and again of what it inflates to
 */
export async function readBody(
  request: IncomingMessage,
  { encoding, limitBytes }: { readonly encoding: ContentEncoding; readonly limitBytes: number },
): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return { status: 'too_large' };
  const chunks: Buffer[] = [];
  const collected = collect(chunks, limitBytes);
  try {
    if (encoding === 'identity') await pipeline(request, collected);
    else await pipeline(request, limit(limitBytes), createGunzip(), collected);
    return { status: 'read', bytes: Buffer.concat(chunks) };
  } catch (error) {
    if (error instanceof TooLarge) return { status: 'too_large' };
    return request.complete || isZlibError(error) ? { status: 'malformed' } : { status: 'aborted' };
  }
}

function limit(limitBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback: TransformCallback) {
      bytes += chunk.length;
      if (bytes > limitBytes) callback(new TooLarge());
      else callback(null, chunk);
    },
  });
}

function collect(chunks: Buffer[], limitBytes: number): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length;
      if (bytes <= limitBytes) chunks.push(chunk);
      callback(bytes > limitBytes ? new TooLarge() : null);
    },
  });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

// The body of a request, inflated as it arrives. Both limits stop it while it is read: neither a large body nor a small
// one that inflates without end is ever held whole.

import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export type Body =
  | { readonly status: 'read'; readonly bytes: Buffer }
  | { readonly status: 'too_large' }
  /** All bodies together would take more memory than they may. */
  | { readonly status: 'no_room' }
  /** Not gzip, or gzip that ends in the middle. */
  | { readonly status: 'malformed' }
  /** The sender went away; there is nobody to answer. */
  | { readonly status: 'aborted' };

export type ContentEncoding = 'identity' | 'gzip';

/** What bodies may still take, shared by all requests that have no answer yet. */
export interface BodyRoom {
  freeBytes: number;
}

export interface ReadBodyOptions {
  readonly encoding: ContentEncoding;
  /** Of what is sent, and again of what it inflates to. */
  readonly limitBytes: number;
  /** What the body took is given back by `releaseBody`. */
  readonly room: BodyRoom;
}

class TooLarge extends Error {}
class NoRoom extends Error {}

/** Reads a body to its end, or until it is too large. */
export async function readBody(
  request: IncomingMessage,
  { encoding, limitBytes, room }: ReadBodyOptions,
): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return { status: 'too_large' };
  const chunks: Buffer[] = [];
  const collected = collect(chunks, { limitBytes, room });
  try {
    const sent = readLimited(request, limitBytes);
    if (encoding === 'identity') await pipeline(sent, collected);
    else await pipeline(sent, createGunzip(), collected);
    return { status: 'read', bytes: Buffer.concat(chunks) };
  } catch (error) {
    for (const chunk of chunks) room.freeBytes += chunk.length;
    if (error instanceof TooLarge) return { status: 'too_large' };
    if (error instanceof NoRoom) return { status: 'no_room' };
    return request.complete || isZlibError(error) ? { status: 'malformed' } : { status: 'aborted' };
  }
}

/** Gives back the room of a body that was read, once its request has its answer. */
export function releaseBody(room: BodyRoom, bytes: Uint8Array): void {
  room.freeBytes += bytes.length;
}

/** A generator, because a pipeline destroys a stream that it cannot read to its end, and with it the way to answer. */
async function* readLimited(request: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new TooLarge();
    yield chunk;
  }
}

function collect(
  chunks: Buffer[],
  { limitBytes, room }: Pick<ReadBodyOptions, 'limitBytes' | 'room'>,
): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length;
      if (bytes > limitBytes) return callback(new TooLarge());
      if (chunk.length > room.freeBytes) return callback(new NoRoom());
      room.freeBytes -= chunk.length;
      chunks.push(chunk);
      callback();
    },
  });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

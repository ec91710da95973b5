// Reads a request body, inflated as it arrives. Limits apply while reading: neither a large body nor a
// decompression bomb is ever held in full, and a slow body is cut off.

import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export type BodyResult =
  | { readonly status: 'read'; readonly bytes: Buffer }
  | { readonly status: 'too_large' }
  /** The bodies together would exceed the memory limit. */
  | { readonly status: 'no_capacity' }
  /** Slower than the minimum rate. */
  | { readonly status: 'too_slow' }
  /** Not gzip, or truncated gzip. */
  | { readonly status: 'malformed' }
  /** The sender disconnected; no response is possible. */
  | { readonly status: 'aborted' };

export type ContentEncoding = 'identity' | 'gzip';

/** Remaining capacity for bodies, shared by all pending requests. */
export interface BodyCapacity {
  freeBytes: number;
}

/** Minimum rate of a body. */
export interface MinBodyRate {
  /** Time before the rate applies. */
  readonly graceMs: number;
  /** Average rate from then on. */
  readonly bytesPerSecond: number;
}

export interface ReadBodyOptions {
  readonly encoding: ContentEncoding;
  /** Limit of the sent bytes, and of the inflated bytes. */
  readonly maxBytes: number;
  /** The body's bytes are taken from it; the caller returns them once the request is answered. */
  readonly capacity: BodyCapacity;
  readonly minRate: MinBodyRate;
}

class TooLarge extends Error {}
class CapacityExceeded extends Error {}

const CHECK_INTERVAL_MS = 500;

/** Reads a body to its end, or until it is too large or too slow. */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<BodyResult> {
  const { encoding, maxBytes, capacity, minRate } = options;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) return { status: 'too_large' };
  // At once: a body that does not fit is not started.
  if (declared > capacity.freeBytes) return { status: 'no_capacity' };
  const chunks: Buffer[] = [];
  const collected = collect(chunks, { maxBytes, capacity });
  const monitor = monitorRate(minRate);
  try {
    const sent = readLimited(request, { maxBytes, monitor });
    const { signal } = monitor;
    if (encoding === 'identity') await pipeline(sent, collected, { signal });
    else await pipeline(sent, createGunzip(), collected, { signal });
    return { status: 'read', bytes: Buffer.concat(chunks) };
  } catch (error) {
    for (const chunk of chunks) capacity.freeBytes += chunk.length;
    return monitor.signal.aborted ? { status: 'too_slow' } : toFailure(error, request);
  } finally {
    monitor.stop();
  }
}

function toFailure(error: unknown, request: IncomingMessage): BodyResult {
  if (error instanceof TooLarge) return { status: 'too_large' };
  if (error instanceof CapacityExceeded) return { status: 'no_capacity' };
  return request.complete || isZlibError(error) ? { status: 'malformed' } : { status: 'aborted' };
}

/**
 * Time counts only while waiting for the sender: this process's own work, such as inflating, is not the
 * sender's slowness.
 */
interface RateMonitor {
  readonly signal: AbortSignal;
  /** Starts waiting for the sender. */
  wait(): void;
  /** Counts received bytes and stops waiting. */
  count(bytes: number): void;
  stop(): void;
}

function monitorRate({ graceMs, bytesPerSecond }: MinBodyRate): RateMonitor {
  const slow = new AbortController();
  let bytes = 0;
  let waitedMs = 0;
  let waitingSince: number | undefined;
  const timer = setInterval(
    () => {
      if (waitingSince === undefined) return;
      const dueMs = waitedMs + performance.now() - waitingSince - graceMs;
      if (dueMs > 0 && bytes * 1_000 < dueMs * bytesPerSecond) slow.abort();
    },
    Math.min(CHECK_INTERVAL_MS, graceMs),
  );
  timer.unref();
  return {
    signal: slow.signal,
    wait() {
      waitingSince = performance.now();
    },
    count(more) {
      bytes += more;
      if (waitingSince !== undefined) waitedMs += performance.now() - waitingSince;
      waitingSince = undefined;
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * A generator, because a pipeline destroys a stream that it cannot read to its end, and with it the response.
 */
async function* readLimited(
  request: IncomingMessage,
  { maxBytes, monitor }: { readonly maxBytes: number; readonly monitor: RateMonitor },
): AsyncGenerator<Buffer> {
  let bytes = 0;
  monitor.wait();
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    monitor.count(chunk.length);
    if (bytes > maxBytes) throw new TooLarge();
    yield chunk;
    monitor.wait();
  }
  monitor.count(0);
}

function collect(
  chunks: Buffer[],
  { maxBytes, capacity }: Pick<ReadBodyOptions, 'maxBytes' | 'capacity'>,
): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length;
      if (bytes > maxBytes) return callback(new TooLarge());
      if (chunk.length > capacity.freeBytes) return callback(new CapacityExceeded());
      capacity.freeBytes -= chunk.length;
      chunks.push(chunk);
      callback();
    },
  });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

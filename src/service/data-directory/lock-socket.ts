// The lock's socket: listening, probing, and addressing a socket in a directory with a long path.

import { createHash } from 'node:crypto';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import { currentProcessIdentity, type ProcessIdentity, parseIdentity } from '../../process-identity.ts';

/** `sun_path` of macOS without its closing zero, in bytes; Linux has four more. */
const MAX_ADDRESS_BYTES = 103;
/** `service.lock.0123456789abcdef.draft`, and the slash before it. */
const MAX_NAME_BYTES = 36;
/** A holder that is stopped or busy has its connection from the kernel, and says nothing. */
const RESPONSE_TIMEOUT_MS = 1_000;

/** What a holder says of itself. */
export interface LockHolder {
  readonly process: ProcessIdentity;
  /** ISO 8601. */
  readonly since: string;
}

export type ProbeResult =
  | { readonly status: 'held'; readonly holder: LockHolder | undefined }
  | { readonly status: 'dead' | 'missing' };

/** Probes for a listener. Any other error counts as held: another user's inaccessible socket may be alive. */
export function probe(address: string): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const socket = connect({ path: address });
    const settle = (found: ProbeResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => settle({ status: 'held', holder: undefined }), RESPONSE_TIMEOUT_MS);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 4_096) settle({ status: 'held', holder: undefined });
    });
    socket.once('end', () => settle({ status: 'held', holder: parseHolder(text) }));
    socket.once('error', (error) => {
      const code = toSystemErrorCode(error);
      if (code === 'ECONNREFUSED') settle({ status: 'dead' });
      else if (code === 'ENOENT') settle({ status: 'missing' });
      else settle({ status: 'held', holder: undefined });
    });
  });
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { process: named, since } = value as Record<string, unknown>; // an object, as just checked
    const identity = parseIdentity(named);
    return identity && typeof since === 'string' ? { process: identity, since } : undefined;
  } catch {
    // It was ending.
    return undefined;
  }
}

/** Listens for those that ask who holds the lock, without keeping the process alive. Rejects with the system's error. */
export async function listenOnSocket(address: string): Promise<Server> {
  const holderJson = JSON.stringify({
    process: currentProcessIdentity(),
    since: new Date().toISOString(),
  } satisfies LockHolder);
  const server = createServer((socket) => {
    socket.unref().on('error', () => undefined);
    socket.end(holderJson);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve));
  return server.unref();
}

/** Where Windows has the lock of a directory. */
export function toPipePath(directory: string): string {
  const hash = createHash('sha256').update(realpathSync.native(directory).toLowerCase()).digest('hex');
  return `\\\\.\\pipe\\toolscope-${hash.slice(0, 32)}`;
}

/** Addresses of sockets in a directory whose own path may be longer than an address can be. */
export async function withSocketAddresses<T>(
  directory: string,
  work: (addressOf: (name: string) => string) => Promise<T>,
): Promise<T> {
  if (Buffer.byteLength(directory) + MAX_NAME_BYTES <= MAX_ADDRESS_BYTES)
    return work((name) => join(directory, name));
  if (process.platform !== 'linux') throw pathTooLongError(directory);
  const descriptor = openSync(directory, 'r');
  try {
    return await work((name) => `/proc/self/fd/${descriptor}/${name}`);
  } finally {
    closeSync(descriptor);
  }
}

function pathTooLongError(directory: string): UserError {
  return new UserError(
    'INVALID_SETTING',
    `Setting "dataDirectory": ${directory} is too long for a Unix socket. Expected at most ${MAX_ADDRESS_BYTES - MAX_NAME_BYTES} bytes on this system.`,
    { field: 'dataDirectory', hint: 'Name a shorter one with --data-dir.' },
  );
}

/** Of an error of the system. */
export function toSystemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

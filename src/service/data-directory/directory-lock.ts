// A lock that the kernel holds: a Unix socket that listens in the directory. It is seen from every PID and network namespace
// and by every user who reaches the directory, and it ends with its process, however that ends. Node has no flock.
//
// The sockets are numbered, `service.lock.1`, `service.lock.2`, …, and the highest number is the lock. Who finds it dead links
// a socket of its own, which listens already, as the next number, and then has to see that no higher one came meanwhile. The
// highest file is never removed, not even when the lock is released, so numbers only rise: of several that find the same
// socket dead, one gets the next number, and one that comes late finds a higher one. Listing a directory of fewer than about
// a thousand files is one call of the kernel, so a list is never half old and half new.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import {
  type LockHolder,
  listenOnSocket,
  probe,
  toPipePath,
  toSystemErrorCode,
  withSocketAddresses,
} from './lock-socket.ts';

const PREFIX = 'service.lock.';
const LOCK_FILE_NAME = /^service\.lock\.(\d+)$/;
const DRAFT_FILE_NAME = /^service\.lock\.[0-9a-f]{16}\.draft$/;
/** From binding a socket to linking it takes milliseconds. */
const DRAFT_MAX_AGE_MS = 60_000;
const MAX_TRIES = 1_000;

export type LockAttempt =
  | { readonly status: 'locked'; readonly release: () => void }
  /** The holder is undefined if it does not respond or access is denied. */
  | { readonly status: 'held'; readonly holder: LockHolder | undefined };

/**
 * Tries once to take the lock of a directory.
 *
 * @throws UserError INVALID_SETTING where the directory cannot hold a Unix socket
 */
export async function tryLock(directory: string): Promise<LockAttempt> {
  if (process.platform === 'win32') return tryPipe(directory);
  return withSocketAddresses(directory, async (addressOf) => {
    const draft = `${PREFIX}${randomBytes(8).toString('hex')}.draft`;
    const server = await listenInDirectory(directory, addressOf(draft));
    const attempt = await contendForLock(directory, { draft, addressOf }).finally(() =>
      rmSync(join(directory, draft), { force: true }),
    );
    if (attempt.status === 'held') server.close();
    return attempt.status === 'held' ? attempt : { status: 'locked', release: () => server.close() };
  });
}

/**
 * @returns the holder of a directory's lock; undefined if it is not held or the directory does not exist
 */
export async function findLockHolder(
  directory: string,
): Promise<{ readonly holder: LockHolder | undefined } | undefined> {
  if (!existsSync(directory)) return undefined;
  if (process.platform === 'win32') {
    const probed = await probe(toPipePath(directory));
    return probed.status === 'held' ? { holder: probed.holder } : undefined;
  }
  return withSocketAddresses(directory, async (addressOf) => {
    const number = findHighestNumber(directory);
    if (number === 0) return undefined;
    const probed = await probe(addressOf(`${PREFIX}${number}`));
    return probed.status === 'held' ? { holder: probed.holder } : undefined;
  });
}

interface Contender {
  /** Name of the socket that listens already. */
  readonly draft: string;
  readonly addressOf: (name: string) => string;
}

type ContendResult = { readonly status: 'won' } | Extract<LockAttempt, { status: 'held' }>;

async function contendForLock(directory: string, { draft, addressOf }: Contender): Promise<ContendResult> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const highest = findHighestNumber(directory);
    const probed =
      highest === 0 ? ({ status: 'dead' } as const) : await probe(addressOf(`${PREFIX}${highest}`));
    if (probed.status === 'held') return probed;
    if (probed.status === 'missing') continue;
    const ownNumber = highest + 1;
    const linked = linkDraft(directory, { draft, number: ownNumber });
    if (linked === 'swept') return { status: 'held', holder: undefined };
    if (linked === 'exists') continue;
    if (findHighestNumber(directory) === ownNumber) {
      await removeStaleFiles(directory, { below: ownNumber, addressOf });
      return { status: 'won' };
    }
    rmSync(join(directory, `${PREFIX}${ownNumber}`), { force: true });
  }
  throw new Error(`The lock of ${directory} could not be read.`);
}

function findHighestNumber(directory: string): number {
  const numbers = readdirSync(directory).map((name) => Number(LOCK_FILE_NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** `swept`: the new lock holder removed our socket in the meantime. */
function linkDraft(
  directory: string,
  { draft, number }: { readonly draft: string; readonly number: number },
): 'linked' | 'exists' | 'swept' {
  try {
    linkSync(join(directory, draft), join(directory, `${PREFIX}${number}`));
    return 'linked';
  } catch (error) {
    if (toSystemErrorCode(error) === 'EEXIST') return 'exists';
    if (toSystemErrorCode(error) === 'ENOENT') return 'swept';
    throw error;
  }
}

/** Clears away what earlier holders left, lowest first, and drafts of processes that were killed. */
async function removeStaleFiles(
  directory: string,
  { below, addressOf }: { readonly below: number; readonly addressOf: (name: string) => string },
): Promise<void> {
  for (const name of readdirSync(directory)) {
    const number = Number(LOCK_FILE_NAME.exec(name)?.[1] ?? below);
    try {
      const isAbandoned = isOldDraft(directory, name) && (await probe(addressOf(name))).status === 'dead';
      if (number < below || isAbandoned) rmSync(join(directory, name), { force: true });
    } catch {
      // Owned by another user in a sticky directory: it stays and is harmless.
    }
  }
}

/** A young one may be bound and not listen yet, which looks dead. */
function isOldDraft(directory: string, name: string): boolean {
  const since =
    DRAFT_FILE_NAME.test(name) && statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs;
  return typeof since === 'number' && Date.now() - since > DRAFT_MAX_AGE_MS;
}

async function listenInDirectory(directory: string, address: string): Promise<Server> {
  try {
    const server = await listenOnSocket(address);
    // Who reaches the directory may ask who holds it: another user could not tell a dead socket from a living one.
    chmodSync(address, 0o666);
    return server;
  } catch (cause) {
    throw new UserError(
      'INVALID_SETTING',
      `Setting "dataDirectory": ${directory} cannot hold a Unix socket (${toSystemErrorCode(cause)}), which locks it. Expected a directory on a local file system.`,
      { field: 'dataDirectory', hint: 'Name one with --data-dir; for a container, use a volume.', cause },
    );
  }
}

/** Windows has no such sockets for Node, but pipes by name, of which there is one at a time. */
async function tryPipe(directory: string): Promise<LockAttempt> {
  const address = toPipePath(directory);
  try {
    const server = await listenOnSocket(address);
    return { status: 'locked', release: () => server.close() };
  } catch (error) {
    if (toSystemErrorCode(error) !== 'EADDRINUSE') throw error;
    const probed = await probe(address);
    return { status: 'held', holder: probed.status === 'held' ? probed.holder : undefined };
  }
}

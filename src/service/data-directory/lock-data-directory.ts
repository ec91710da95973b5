// One service per data directory, because two would write to the same journal. The embedded engine has its
// own lock, but a service over a ClickHouse server would have none.

import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../errors.ts';
import { currentProcessIdentity, isSamePidNamespace } from '../../process-identity.ts';
import { tryLock } from './directory-lock.ts';
import type { LockHolder } from './lock-socket.ts';

const WAIT_MS = 10_000;
const RETRY_INTERVAL_MS = 100;

/**
 * Takes the directory, waiting for a service that is just ending.
 *
 * @returns what lets go of it again
 * @throws UserError DATA_DIRECTORY_LOCKED naming the process that still holds it after ten seconds
 */
export async function lockDataDirectory(directory: string, waitMs = WAIT_MS): Promise<() => void> {
  for (const deadline = Date.now() + waitMs; ; await delay(RETRY_INTERVAL_MS)) {
    const attempt = await tryLock(directory);
    if (attempt.status === 'locked') return attempt.release;
    if (Date.now() >= deadline) throw lockedError(directory, attempt.holder);
  }
}

function lockedError(directory: string, holder: LockHolder | undefined): UserError {
  const since = holder === undefined ? '' : ` since ${holder.since.slice(0, 19)}Z`;
  return new UserError(
    'DATA_DIRECTORY_LOCKED',
    `${capitalize(describeHolder(holder))} holds the data directory ${directory}${since}. Expected one service to a directory.`,
    {
      field: 'dataDirectory',
      hint: `${describeRemedy(holder)}, or choose another directory with --data-dir.`,
    },
  );
}

/** The holder, with its pid only if that pid belongs to this PID namespace. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another process';
  const { pid, host } = holder.process;
  if (isInSamePidNamespace(holder)) return `process ${pid}`;
  return `process ${pid} in another PID namespace (a container? its host name is ${JSON.stringify(host)})`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function describeRemedy(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'Use or end the service that runs on it';
  if (!isInSamePidNamespace(holder)) return 'Use that service, end its container';
  return `Use that service, end it with "kill ${holder.process.pid}" (it takes up to 30 seconds)`;
}

function isInSamePidNamespace({ process: identity }: LockHolder): boolean {
  return isSamePidNamespace(identity, currentProcessIdentity());
}

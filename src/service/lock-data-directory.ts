// One service to a data directory: two would write one journal. The embedded engine holds a lock of its own, a service
// over a ClickHouse server would have none. Node has no flock, so a file names the holder by process id and by the
// time it started, because ids are used again; a holder that is gone holds nothing.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';

const FILE = 'service.lock';
const WAIT_MS = 10_000;
const RETRY_MS = 100;

/**
 * Takes the directory, waiting for a service that is just ending.
 *
 * @returns what lets go of it again
 * @throws UserError DATA_DIRECTORY_LOCKED naming the process that still holds it after ten seconds
 */
export async function lockDataDirectory(directory: string, waitMs = WAIT_MS): Promise<() => void> {
  const path = join(directory, FILE);
  for (const deadline = Date.now() + waitMs; ; await delay(RETRY_MS)) {
    if (tryLock(path)) return () => rmSync(path, { force: true });
    const holder = readHolder(path);
    if (holder === undefined) rmSync(path, { force: true });
    else if (Date.now() >= deadline) throw locked(directory, { pid: holder, since: writtenAt(path) });
  }
}

/** Written aside and linked, so that nobody reads a lock that does not name its holder yet. */
function tryLock(path: string): boolean {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(aside, `${process.pid} ${startOf(process.pid) ?? ''}\n`, { mode: 0o600 });
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** @returns the process that holds the lock, or undefined when that process is gone */
function readHolder(path: string): number | undefined {
  const [pid, start] = readText(path).trim().split(' ').map(Number);
  if (!pid || !isAlive(pid)) return undefined;
  const startNow = startOf(pid);
  return start && startNow !== undefined && startNow !== start ? undefined : pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: somebody else's process is a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Start in clock ticks since boot (proc_pid_stat, field 22); undefined where there is no /proc. */
function startOf(pid: number): number | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the command in parentheses and may hold spaces.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return stat === '' || Number.isNaN(ticks) ? undefined : ticks;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone, or no /proc here.
    return '';
  }
}

/** When the lock was taken, for people. */
function writtenAt(path: string): string {
  try {
    return ` since ${statSync(path).mtime.toISOString().slice(0, 19)}Z`;
  } catch {
    // Let go of this very moment; who asks again gets it.
    return '';
  }
}

function locked(
  directory: string,
  { pid, since }: { readonly pid: number; readonly since: string },
): UserError {
  return new UserError(
    'DATA_DIRECTORY_LOCKED',
    `Process ${pid} holds the data directory ${directory}${since}. Expected one service to a directory.`,
    {
      field: 'dataDirectory',
      hint: `Use that service, end it with "kill ${pid}" (it takes up to 30 seconds), or choose another directory with --data-dir.`,
    },
  );
}

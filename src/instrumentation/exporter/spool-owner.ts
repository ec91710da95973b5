// Identifies the owner of a spool file and whether it is alive. A process is identified by pid and start
// time, because pids are reused. On another machine or in another container the pid means nothing; there the
// file's modification time decides.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface SpoolOwner {
  readonly pid: number;
  /** Start time in clock ticks since boot; 0 where the system does not provide it. */
  readonly startTicks: number;
  /** Boot, machine and pid namespace: 12 hex digits, four for each. */
  readonly location: string;
}

/**
 * Owners elsewhere touch their files every minute; one that has not done so for this long (ms) is considered
 * dead.
 */
export const DEAD_AFTER_MS = 300_000;

let cachedOwner: SpoolOwner | undefined;

export function getCurrentOwner(): SpoolOwner {
  cachedOwner ??= {
    pid: process.pid,
    startTicks: readStartTicks(process.pid) ?? 0,
    location: readLocation(),
  };
  return cachedOwner;
}

/**
 * Whether the owner of a file has ended, so that others may adopt it.
 * @param idleMs returns the time (ms) since the file was touched; called only for owners whose pid is not
 * valid here
 */
export function isOwnerDead(owner: SpoolOwner, idleMs: () => number): boolean {
  const current = getCurrentOwner();
  if (owner.location === current.location) return !isProcessAlive(owner);
  const isSameMachine = owner.location.slice(0, 4) === current.location.slice(0, 4);
  const isSameBoot = owner.location.slice(4, 8) === current.location.slice(4, 8);
  if (isSameMachine && !isSameBoot) return true;
  return idleMs() > DEAD_AFTER_MS;
}

function isProcessAlive({ pid, startTicks }: SpoolOwner): boolean {
  if (startTicks !== 0) return readStartTicks(pid) === startTicks;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user. Otherwise no process has this pid.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Returns a process's start time in clock ticks since boot; undefined when it has ended or the time is not
 * available.
 */
function readStartTicks(pid: number): number | undefined {
  const stat = readOrDefault('', () => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The program name is in parentheses and may itself contain parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended and only waits for its parent to reap it.
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const startedAt = Number(fields[19]);
  return Number.isSafeInteger(startedAt) && startedAt > 0 ? startedAt : undefined;
}

function readLocation(): string {
  const machine = readOrDefault('', hostname);
  const boot = readOrDefault('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const namespace = readOrDefault('', () => readlinkSync('/proc/self/ns/pid'));
  return [machine, boot, namespace].map(shortHash).join('');
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4);
}

function readOrDefault(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    // Not Linux, or not readable.
    return fallback;
  }
}

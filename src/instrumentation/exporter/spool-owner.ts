// Whose a file of the spool is, and whether they are still there. A process is known by its pid and the moment it
// started, because pids come again; where pids mean something else (another machine, another container), only by what it
// touched lately.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface SpoolOwner {
  readonly pid: number;
  /** Clock ticks from boot to its start; 0 where the system does not tell. */
  readonly startTicks: number;
  /** Which boot of which machine, and which of its pid namespaces: 12 hex digits, four each. */
  readonly location: string;
}

/** A process elsewhere touches its files every minute; one that did not for so long (ms) is gone. */
export const DEAD_AFTER_MS = 300_000;

let cachedOwner: SpoolOwner | undefined;

/** This process. */
export function getCurrentOwner(): SpoolOwner {
  cachedOwner ??= {
    pid: process.pid,
    startTicks: readStartTicks(process.pid) ?? 0,
    location: readLocation(),
  };
  return cachedOwner;
}

/**
 * Whether the owner of a file is gone for good, so that others may have it.
 * @param idleMs how long ago (ms) the file was touched; asked only of owners whose pid says nothing here
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
    // Somebody else's process has our pid, or nobody has.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in clock ticks since boot; undefined when it is gone, or nobody tells. */
function readStartTicks(pid: number): number | undefined {
  const stat = readOrDefault('', () => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program stands in parentheses and may hold anything, parentheses too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie is gone: it only waits for its parent to hear of it.
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
    // Not Linux, or not for us to see.
    return fallback;
  }
}

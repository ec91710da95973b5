// Whose a file of the spool is, and whether they are still there. A process is known by its pid and the moment it
// started, because pids come again; where pids mean something else (another machine, another container), only by what it
// touched lately.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface SpoolOwner {
  readonly pid: number;
  /** Clock ticks from boot to its start; 0 where the system does not tell. */
  readonly startedAt: number;
  /** Which boot of which machine, and which of its pid namespaces: 12 hex digits, four each. */
  readonly place: string;
}

/** A process elsewhere touches its files every minute; one that did not for so long (ms) is gone. */
export const GONE_AFTER_MS = 300_000;

let own: SpoolOwner | undefined;

/** This process. */
export function ownOwner(): SpoolOwner {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) ?? 0, place: readPlace() };
  return own;
}

/**
 * Whether the owner of a file is gone for good, so that others may have it.
 * @param touchedMs how long ago (ms) the file was touched; asked only of owners whose pid says nothing here
 */
export function isGone(owner: SpoolOwner, touchedMs: () => number): boolean {
  const here = ownOwner();
  if (owner.place === here.place) return !isAlive(owner);
  const isSameMachine = owner.place.slice(0, 4) === here.place.slice(0, 4);
  const isSameBoot = owner.place.slice(4, 8) === here.place.slice(4, 8);
  if (isSameMachine && !isSameBoot) return true;
  return touchedMs() > GONE_AFTER_MS;
}

function isAlive({ pid, startedAt }: SpoolOwner): boolean {
  if (startedAt !== 0) return startOf(pid) === startedAt;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process has our pid, or nobody has.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in clock ticks since boot; undefined when it is gone, or nobody tells. */
function startOf(pid: number): number | undefined {
  const stat = readOr('', () => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program stands in parentheses and may hold anything, parentheses too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie is gone: it only waits for its parent to hear of it.
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const startedAt = Number(fields[19]);
  return Number.isSafeInteger(startedAt) && startedAt > 0 ? startedAt : undefined;
}

function readPlace(): string {
  const machine = readOr('', hostname);
  const boot = readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const namespace = readOr('', () => readlinkSync('/proc/self/ns/pid'));
  return [machine, boot, namespace].map(shortHash).join('');
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4);
}

function readOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    // Not Linux, or not for us to see.
    return fallback;
  }
}

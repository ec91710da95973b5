// Identifies a process beyond its pid, which is reused and means something else in another PID namespace or
// after a reboot.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Members are empty or 0 where the system does not provide them. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start in clock ticks since boot (proc_pid_stat, field 22). */
  readonly startTicks: number;
  readonly bootId: string;
  /** Target of the link `/proc/self/ns/pid`. */
  readonly pidNamespace: string;
  /** In a Docker container, the container's id. */
  readonly host: string;
}

let cachedIdentity: ProcessIdentity | undefined;

/** The identity of this process. */
export function currentProcessIdentity(): ProcessIdentity {
  cachedIdentity ??= {
    pid: process.pid,
    startTicks: readStartTicks(process.pid) ?? 0,
    bootId: readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    pidNamespace: readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
    host: readOrEmpty(hostname),
  };
  return cachedIdentity;
}

/** Whether both processes share a boot and a PID namespace, so that their pids can be compared. */
export function isSamePidNamespace(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;
}

/**
 * Whether a process is running.
 * @returns undefined when that is unknown, because its pid belongs to another PID namespace
 */
export function isRunning(identity: ProcessIdentity): boolean | undefined {
  const current = currentProcessIdentity();
  if (identity.bootId !== current.bootId && identity.host === current.host) return false;
  return isSamePidNamespace(identity, current) ? isAlive(identity) : undefined;
}

/** Whether a process of this PID namespace is running. */
export function isAlive({ pid, startTicks }: Pick<ProcessIdentity, 'pid' | 'startTicks'>): boolean {
  const currentTicks = readStartTicks(pid);
  if (startTicks !== 0 && currentTicks !== undefined) return currentTicks === startTicks;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Parses an identity that was written to a file; undefined when it is malformed. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startTicks, bootId, pidNamespace, host } = value as Record<string, unknown>; // an object, as just checked
  if (typeof pid !== 'number' || typeof startTicks !== 'number') return undefined;
  if (typeof bootId !== 'string' || typeof pidNamespace !== 'string' || typeof host !== 'string')
    return undefined;
  return { pid, startTicks, bootId, pidNamespace, host };
}

/** Undefined when no process has this pid or the system does not show its start; 0 for a zombie. */
function readStartTicks(pid: number): number | undefined {
  const stat = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The program name is in parentheses and may itself contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended and only waits for its parent to reap it.
  if (fields[0] === 'Z' || fields[0] === 'X') return 0;
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) && ticks > 0 ? ticks : undefined;
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

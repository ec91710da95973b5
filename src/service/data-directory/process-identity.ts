// Identity of a process: a pid alone is ambiguous, because pids are reused, and differ between PID namespaces
// and boots.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a process says of itself to those that may stand in another container. Empty or 0 where the system does not tell. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start in clock ticks since boot (proc_pid_stat, field 22). */
  readonly startTicks: number;
  readonly bootId: string;
  /** As `/proc/self/ns/pid` links to it. */
  readonly pidNamespace: string;
  /** Docker gives a container its id as the name of its host. */
  readonly host: string;
}

/** This process. */
export function currentProcessIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTicks: readStartTicks(process.pid) ?? 0,
    bootId: readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    pidNamespace: readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
    host: readOrEmpty(hostname),
  };
}

/** Whether the pids of the two mean the same: the same boot of one machine, and the same PID namespace. */
export function isSamePidNamespace(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.bootId === other.bootId && one.pidNamespace === other.pidNamespace;
}

/**
 * Whether a process runs.
 *
 * @returns undefined if unknown, because its pid belongs to another PID namespace
 */
export function isRunning(identity: ProcessIdentity): boolean | undefined {
  const here = currentProcessIdentity();
  if (identity.bootId !== here.bootId && identity.host === here.host) return false;
  if (!isSamePidNamespace(identity, here)) return undefined;
  const startTicks = readStartTicks(identity.pid);
  if (startTicks !== undefined && identity.startTicks !== 0) return startTicks === identity.startTicks;
  return acceptsSignal(identity.pid);
}

/** @returns what an identity was written as, or undefined when it is none */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startTicks, bootId, pidNamespace, host } = value as Record<string, unknown>; // an object, as just checked
  if (typeof pid !== 'number' || typeof startTicks !== 'number') return undefined;
  if (typeof bootId !== 'string' || typeof pidNamespace !== 'string' || typeof host !== 'string')
    return undefined;
  return { pid, startTicks, bootId, pidNamespace, host };
}

function readStartTicks(pid: number): number | undefined {
  const stat = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the command in parentheses and may hold spaces.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return stat === '' || Number.isNaN(ticks) ? undefined : ticks;
}

function acceptsSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: another user's process is a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    // Gone, or a system without /proc.
    return '';
  }
}

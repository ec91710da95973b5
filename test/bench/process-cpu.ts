// CPU time of a process by the kernel's own account.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** User and system time of all threads so far, in milliseconds. */
export function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

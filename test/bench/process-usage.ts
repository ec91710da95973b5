// What a process that knows nothing of the bench has used so far, read from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** Microseconds on a processor, user and system, of the threads that are alive. */
  readonly cpuUs: number;
  readonly rssMb: number;
  /** The most that was resident at any time. */
  readonly peakRssMb: number;
}

/** @throws Error when the process has ended, or the system is not Linux */
export function readProcessUsage(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const cpuNs = readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + readCpuNs(pid, task), 0);
  return {
    cpuUs: cpuNs / 1_000,
    rssMb: readKilobytes(status, 'VmRSS') / 1_024,
    peakRssMb: readKilobytes(status, 'VmHWM') / 1_024,
  };
}

/** Nanoseconds; the clock ticks of `stat` are too coarse for a run of half a second. */
function readCpuNs(pid: number, task: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
}

function readKilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}

// What a busy machine adds to a process's time: how long its main thread was ready and waited for a processor. Taken off
// a duration it leaves work and waiting for others, which are the process's own doing.
import { readFileSync } from 'node:fs';

/** @returns milliseconds since the process began, by the kernel's account (`Documentation/scheduler/sched-stats.rst`); 0 where there is none */
export function runDelayMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

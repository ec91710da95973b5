// Time as a promise about it means it: what passed, less how long the machine kept the processes that keep the promise from
// running. On a quiet machine that is next to nothing, and the promise holds as it stands.
import { readdirSync, readFileSync } from 'node:fs';
import { listChildProcesses } from './child-processes.ts';

export interface Stopwatch {
  /** Milliseconds since it was started that were not spent waiting for a processor. */
  elapsedMs(): number;
}

/** @param pid of a service; its children, such as the engine, and this process count too */
export function startStopwatch(pid: number): Stopwatch {
  const startedMs = performance.now();
  const before = readDelays(pid);
  return {
    elapsedMs() {
      const passedMs = performance.now() - startedMs;
      let waitedMs = 0;
      for (const [thread, ms] of readDelays(pid)) waitedMs += ms - (before.get(thread) ?? 0);
      return passedMs - waitedMs;
    },
  };
}

/** By thread, by the kernel's account (`Documentation/scheduler/sched-stats.rst`); empty where it keeps none. */
function readDelays(pid: number): Map<string, number> {
  const delays = new Map<string, number>();
  for (const one of [process.pid, pid, ...ifPresent(() => listChildProcesses(pid), [])])
    for (const thread of ifPresent(() => readdirSync(`/proc/${one}/task`), [])) {
      const text = ifPresent(() => readFileSync(`/proc/${one}/task/${thread}/schedstat`, 'utf8'), '');
      if (text !== '') delays.set(thread, Number(text.split(' ')[1]) / 1e6);
    }
  return delays;
}

/** A process or thread may end while it is looked at. */
function ifPresent<T>(read: () => T, gone: T): T {
  try {
    return read();
  } catch {
    return gone;
  }
}

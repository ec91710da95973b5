// The processes that a process has started, by the kernel's own account: how a test finds the engine to kill it.
import { readdirSync, readFileSync } from 'node:fs';

/** Pids of the direct children of a process. */
export function listChildProcesses(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

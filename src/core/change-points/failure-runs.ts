// Retry bursts: of the consecutive failures of one session with one code, only the first few count as calls.

import type { MinuteFailure } from './change-point.ts';
import { MAX_RUN_FAILURES, RUN_TIMEOUT_MINUTES } from './thresholds.ts';

/** Failures in the current run, by code and session. */
interface FailureRun {
  length: number;
  lastMinute: number;
}
export type FailureRuns = Record<string, FailureRun>;

export interface SeparateFailures {
  readonly failures: readonly MinuteFailure[];
  /** Calls that do not count. */
  readonly repeated: number;
}

/** @param runs updated with the minute */
export function separateFailures(
  runs: FailureRuns,
  minute: number,
  failures: readonly MinuteFailure[],
): SeparateFailures {
  let repeated = 0;
  const separate = failures.map((failure) => {
    if (failure.session === '') return failure;
    const counted = countRun(runs, minute, failure);
    repeated += failure.calls - counted;
    return counted === failure.calls ? failure : { ...failure, calls: counted };
  });
  return { failures: separate, repeated };
}

function countRun(
  runs: FailureRuns,
  minute: number,
  { code, session, calls, others }: MinuteFailure,
): number {
  const key = `${code} ${session}`;
  const run = runs[key];
  const isContinued = run && others === 0 && minute - run.lastMinute <= RUN_TIMEOUT_MINUTES;
  const before = isContinued ? run.length : 0;
  // With other calls between them, there are as many runs as possible.
  const counted = Math.min(calls, (others + 1) * MAX_RUN_FAILURES - Math.min(before, MAX_RUN_FAILURES));
  runs[key] = { length: Math.min(MAX_RUN_FAILURES, before + counted), lastMinute: minute };
  return counted;
}

/** Forgets the runs that a failure of `minute` would not continue. */
export function forgetOldRuns(runs: FailureRuns, minute: number): void {
  for (const [key, { lastMinute }] of Object.entries(runs))
    if (minute - lastMinute > RUN_TIMEOUT_MINUTES) delete runs[key];
}

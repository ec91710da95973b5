// Whether a tool can be removed: by the days without a call, and by how often it was called before. Nothing is
// called safe because nothing was observed: days on which its server was not in use do not count.

import type { RetirementVerdict } from '../../../contract/retirements.ts';

const DAY_US = 86_400_000_000;

/** Two weeks include what runs once a week, and holidays. */
export const MIN_QUIET_DAYS = 14;

export interface RetirementEvidence {
  /** Microseconds, like the other times; undefined if it was never called. */
  readonly lastCallUs: number | undefined;
  /** First listing or call of the tool. */
  readonly knownSinceUs: number;
  /** Newest call or listing of its server. */
  readonly serverSeenUs: number;
  readonly nowUs: number;
  /** Days since the epoch with a call, ascending. */
  readonly callDays: readonly number[];
}

export interface RetirementEvaluation {
  readonly verdict: RetirementVerdict;
  readonly quietDays: number;
  readonly requiredDays: number;
  readonly longestGapDays: number | null;
}

/** A tool that is called once a month needs more than a month without a call. */
export function evaluateRetirement(evidence: RetirementEvidence): RetirementEvaluation {
  const { lastCallUs, knownSinceUs, serverSeenUs, nowUs, callDays } = evidence;
  const gaps = callDays.slice(1).map((day, at) => day - (callDays[at] ?? day));
  const longestGapDays = gaps.length === 0 ? null : Math.max(...gaps);
  const requiredDays = Math.max(MIN_QUIET_DAYS, (longestGapDays ?? 0) + 1);
  const quietUs = serverSeenUs - Math.max(lastCallUs ?? 0, knownSinceUs);
  const quietDays = Math.max(0, Math.floor(quietUs / DAY_US));
  const isCalled = lastCallUs !== undefined && nowUs - lastCallUs < requiredDays * DAY_US;
  const verdict = quietDays >= requiredDays ? 'safe' : isCalled ? 'still_called' : 'too_early';
  return { verdict, quietDays, requiredDays, longestGapDays };
}

// The numbers of the change detector. `docs/change-points.md` says what they lead to in the simulation.

/** Time per false alarm that the threshold of a server's tests together allows, in minutes. */
export const FALSE_ALARM_MINUTES = 2 * 7 * 24 * 60;
/** A change ends when "still changed" has lasted for this many minutes by chance. */
export const END_FALSE_ALARM_MINUTES = 500;

/** Odds of a failed or slow call, relative to the usual ones. */
export const RISING_ODDS = [1.4, 2.2, 4, 12, 60] as const;
export const FALLING_ODDS = [0.65, 0.3, 0.08] as const;
/** Calls per minute, relative to the usual number. */
export const RISING_RATES = [2.5, 8] as const;
export const FALLING_RATES = [0.35, 0.02] as const;

/** Standard errors of the usual level within which a level is usual. */
export const LEVEL_ERRORS = 1.5;
/** Relative deviation from the usual level that is never a change, beside these. */
export const LEVEL_TOLERANCE = 0.04;
/** The same for calls per minute, which follow people. */
export const RATE_TOLERANCE = 0.5;

/** Calls before a tool's usual level is known. */
export const MIN_USUAL_CALLS = 100;
/** Hours before the usual calls per minute are known: a whole week. */
export const MIN_RATE_HOURS = 168;
/** Usual calls per hour below which the call rate of a tool is not tested. */
export const MIN_HOURLY_CALLS = 120;

/** An hour joins the usual level only after this time, so that a slow drift does not become usual. */
export const BASELINE_DELAY_HOURS = 24;
/** Time in which the weight of an hour halves. */
export const BASELINE_HALF_LIFE_HOURS = 168;
export const RATE_HALF_LIFE_HOURS = 336;

/** Consecutive failures of one session that count: a retry burst is not many independent calls. */
export const MAX_RUN_FAILURES = 3;
/** Time after which a failure of a session is not a retry of the one before. */
export const RUN_TIMEOUT_MINUTES = 10;
/** Failures that a rise needs if all are of one session. */
export const MIN_ONE_SESSION_FAILURES = 20;

/** Minimum change of a share worth reporting: percentage points, and relative to the usual. */
export const MIN_SHARE_CHANGE = 0.01;
export const MIN_SHARE_RATIO = 1.25;
/** Milliseconds slower than usual below which a call is not slow. */
export const MIN_SLOWDOWN_MS = 10;
/** Minimum of changed calls of a rise. */
export const MIN_HITS = 4;

/** After this time a change is the usual level. */
export const MAX_OPEN_MINUTES = 2 * 24 * 60;
/** Error codes of a tool that have a test; failures with other codes count for all failures together. */
export const MAX_CODES = 8;

// How much traffic it takes before advice speaks. Below these numbers the same picture comes about by chance, or by one
// session; a false alarm costs more than a finding a week later.

/** Calls behind any share: below it the product calls a rate "few calls". */
export const MIN_CALLS = 20;

/** Calls before "never" and "always" are said of an argument. */
export const MIN_CALLS_FOR_NEVER = 50;

/** Sessions before a habit is the agents' and not one agent's. */
export const MIN_SESSIONS = 3;

/** Failures of one kind before they are a pattern. */
export const MIN_FAILURES = 3;

/** Tokens of a result at p95 that crowd a context: clients begin to warn at 10,000 and cut at 25,000. */
export const LARGE_RESULT_TOKENS = 10_000;

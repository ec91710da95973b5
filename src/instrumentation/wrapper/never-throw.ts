// Catches every error of our own code, so that the host's call proceeds as if it were not instrumented. Host
// code never runs inside it, so the host's own errors are never swallowed.

/** Returns the fallback when it threw. */
export function neverThrow<T>(run: () => T): T | undefined;
export function neverThrow<T>(run: () => T, fallback: T): T;
export function neverThrow<T>(run: () => T, fallback?: T): T | undefined {
  try {
    return run();
  } catch {
    // Not reported, because stdout and stderr belong to the host; the call is missing from the data.
    return fallback;
  }
}

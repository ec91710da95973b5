// The one catch between us and the host: whatever goes wrong on our side, the host's call goes on as if we were not
// there. Host code never runs inside it, so a host's own error is never swallowed.

/**
 * Runs our own code; its failure is nobody's.
 *
 * @returns the fallback when it threw.
 */
export function neverThrow<T>(run: () => T): T | undefined;
export function neverThrow<T>(run: () => T, fallback: T): T;
export function neverThrow<T>(run: () => T, fallback?: T): T | undefined {
  try {
    return run();
  } catch {
    // Saying so would mean writing to a stream that belongs to the host; a call we missed shows as missing.
    return fallback;
  }
}

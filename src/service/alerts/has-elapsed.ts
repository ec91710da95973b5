// Whether it is time again.

/** Also true if the clock was set back, or nothing would be done until it has caught up. */
export function hasElapsed(
  sinceMs: number,
  { nowMs, ms }: { readonly nowMs: number; readonly ms: number },
): boolean {
  return nowMs - sinceMs >= ms || nowMs < sinceMs;
}

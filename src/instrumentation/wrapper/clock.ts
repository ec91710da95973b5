// Combines two clocks into one instant. The wall clock has whole milliseconds and can jump; the monotonic
// clock stops during a suspend. So the monotonic clock is anchored to the wall clock, again whenever they
// diverge.

import type { Instant } from '../../core/observer/observed-call.ts';

/** A larger difference means that the clocks diverged, by a suspend or a correction. */
const MAX_DRIFT_MS = 5;

let anchorMs = performance.timeOrigin;

export function now(): Instant {
  const monotonicMs = performance.now();
  const wallMs = Date.now();
  if (Math.abs(anchorMs + monotonicMs - wallMs) > MAX_DRIFT_MS) anchorMs = wallMs - monotonicMs;
  return { wallUs: Math.round((anchorMs + monotonicMs) * 1000), monotonicMs };
}

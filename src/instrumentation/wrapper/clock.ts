// Two clocks as one moment. The wall clock alone has whole milliseconds and jumps; the monotonic one alone stands still
// while a laptop sleeps. So microseconds come from the monotonic clock, anchored to the wall until they part.

import type { Instant } from '../../core/observer/observed-call.ts';

/** Beyond this the clocks have parted: a suspend, or a correction. */
const MAX_DRIFT_MS = 5;

let anchorMs = performance.timeOrigin;

/** Reads both clocks. */
export function now(): Instant {
  const monotonicMs = performance.now();
  const wallMs = Date.now();
  if (Math.abs(anchorMs + monotonicMs - wallMs) > MAX_DRIFT_MS) anchorMs = wallMs - monotonicMs;
  return { wallUs: Math.round((anchorMs + monotonicMs) * 1000), monotonicMs };
}

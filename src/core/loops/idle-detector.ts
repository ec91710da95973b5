// Detects pauses that start a new task, relative to the session's usual pace: a monitor that checks every two
// minutes starts a new task each time; an agent that thinks for a minute before each call does not.

import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Shorter pauses may be thinking time at any pace. */
export const MIN_IDLE_US = 45_000_000;
/** A pause this many times the usual one is an outlier. */
const OUTLIER_FACTOR = 10;
/** Shorter pauses belong to concurrent calls. */
const MIN_PAUSE_US = 500_000;
/** Weight of the newest pause in the moving average. */
const SMOOTHING_FACTOR = 0.3;

export class IdleDetector {
  #endedAtUs = 0;
  /** Logarithm of the usual pause between the end of a call and the start of the next one, in microseconds. */
  #meanLogPause = Number.NaN;

  /** Takes the next call; without timestamps nothing is idle. */
  add({ startedAtUs, durationUs }: LoopCall, { idleMs }: LoopThresholds): 'busy' | 'idle' {
    if (startedAtUs === 0) return 'busy';
    const pauseUs = this.#endedAtUs === 0 ? 0 : Math.max(0, startedAtUs - this.#endedAtUs);
    this.#endedAtUs = Math.max(this.#endedAtUs, startedAtUs + durationUs);
    const standsOut = pauseUs >= MIN_IDLE_US && pauseUs >= OUTLIER_FACTOR * Math.exp(this.#meanLogPause);
    if (standsOut || pauseUs >= idleMs * 1000) return 'idle';
    const logarithm = Math.log(Math.max(pauseUs, MIN_PAUSE_US));
    this.#meanLogPause = Number.isNaN(this.#meanLogPause)
      ? logarithm
      : (1 - SMOOTHING_FACTOR) * this.#meanLogPause + SMOOTHING_FACTOR * logarithm;
    return 'busy';
  }
}

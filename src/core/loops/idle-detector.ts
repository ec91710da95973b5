// How fast a session's calls follow each other, and whether one came so late that a new task began with it: a watch that looks at
// the same things every two minutes begins anew each time, an agent that thinks for a minute before each call does not.

import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Shorter pauses may be thought, whatever the pace was. */
export const MIN_IDLE_US = 45_000_000;
/** So many times the usual pause stands out. */
const OUTLIER_FACTOR = 10;
/** Calls made at once. */
const MIN_PAUSE_US = 500_000;
/** How much of the usual pause the newest one makes. */
const SMOOTHING_FACTOR = 0.3;

export class IdleDetector {
  #endedAtUs = 0;
  /** Logarithm of the usual pause between the end of a call and the start of the next one, in microseconds. */
  #meanLogPause = Number.NaN;

  /** Takes the next call; without times nothing is ever idle. */
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

// The two clocks of this process, set by hand: what was recorded over hours is played in seconds, and a wrapper that
// reads them as ever sees the recorded times. Timers stay real, so that whatever waits or delivers goes on.

export interface VirtualClock {
  /** Both clocks, in epoch milliseconds. */
  set(epochMs: number): void;
  /** Gives the process its own clocks back. */
  restore(): void;
}

/** Takes both clocks; only one may be taken at a time. */
export function installVirtualClock(): VirtualClock {
  const { now: wall } = Date;
  const monotonic = performance.now;
  let nowMs = wall();
  Date.now = () => nowMs;
  performance.now = () => nowMs - performance.timeOrigin;
  return {
    set(epochMs) {
      nowMs = epochMs;
    },
    restore() {
      Date.now = wall;
      performance.now = monotonic;
    },
  };
}

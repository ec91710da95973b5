// Time as a dependency: tests control sealing by age and retry delays.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds. The returned function cancels the callback. */
  schedule(ms: number, callback: () => void): () => void;
}

/** The system clock. Its timers never keep the process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

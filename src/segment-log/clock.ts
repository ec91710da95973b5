// Time as an argument: what sealing by age and waiting before a retry ask for, so that tests own it.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after so many milliseconds; the returned function takes that back. */
  schedule(ms: number, callback: () => void): () => void;
}

/** The machine's clock. Its timers never keep a process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

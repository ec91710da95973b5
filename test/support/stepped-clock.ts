// A clock for what runs by timers: it stands until the test moves it.

/** Timers that fire when the test says so. */
export function createSteppedClock() {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  return {
    now: () => nowMs,
    schedule(ms: number, callback: () => void) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Moves on, and lets everything that became due run until nothing but the test holds it up. */
    async advance(ms: number) {
      nowMs += ms;
      for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
        timers.delete(timer);
        timer.callback();
      }
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
    get waiting() {
      return timers.size;
    },
  };
}

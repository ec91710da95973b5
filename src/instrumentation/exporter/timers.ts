// The timers of a delivery, by what they are for: one of each at a time, and none keeps a process alive.

export type TimerName = 'slice' | 'keep' | 'send' | 'look';

export interface Timers {
  /** Runs something later, unless a timer of that name is running already. */
  schedule(name: TimerName, later: { readonly delayMs: number; readonly run: () => void }): void;
  cancel(name: TimerName): void;
  /** Cancels all. */
  clear(): void;
}

/** Creates a set of timers, none of which is running. */
export function createTimers(): Timers {
  const running = new Map<TimerName, NodeJS.Timeout>();
  return {
    schedule(name, { delayMs, run }) {
      if (running.has(name)) return;
      const timer = setTimeout(() => {
        running.delete(name);
        run();
      }, delayMs);
      running.set(name, timer.unref());
    },
    cancel(name) {
      clearTimeout(running.get(name));
      running.delete(name);
    },
    clear() {
      for (const timer of running.values()) clearTimeout(timer);
      running.clear();
    },
  };
}

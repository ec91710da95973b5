// The timers of an exporter, by purpose: at most one per purpose, all unref'd.

export type TimerName = 'slice' | 'keep' | 'send' | 'look';

export interface Timers {
  /** Runs a callback later, unless a timer of that name is already running. */
  schedule(name: TimerName, later: { readonly delayMs: number; readonly run: () => void }): void;
  cancel(name: TimerName): void;
  clear(): void;
}

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

// A clock that stands still until it is told to go on.
import type { Clock } from '../../src/segment-log/clock.ts';

export class FakeClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** How long from now the timers that wait are due, in milliseconds. */
  get waiting(): number[] {
    return this.#timers.map(({ at }) => at - this.#now);
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves time; timers that come due are called in their order, and what they start gets a turn. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

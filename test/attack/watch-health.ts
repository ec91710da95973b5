// Asks `/healthz` again and again, each time over a connection of its own, and keeps what each answer took.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface HealthWatch {
  /** @returns what each answer took in milliseconds; Infinity where there was none within twenty seconds */
  stop(): Promise<readonly number[]>;
}

const EVERY_MS = 100;
const GIVE_UP_MS = 20_000;

/** In a thread of its own, so that what the attack itself computes is not counted as the service's time. */
export function watchHealth(base: string): HealthWatch {
  const thread = new Worker(new URL('./probe-health.mjs', import.meta.url), {
    workerData: { url: `${base}/healthz`, everyMs: EVERY_MS, giveUpMs: GIVE_UP_MS },
    // What compiles this process is not needed there.
    execArgv: [],
  });
  const started = once(thread, 'message');
  return {
    async stop() {
      await started;
      const ended = once(thread, 'message');
      thread.postMessage('stop');
      const [took] = (await ended) as [readonly number[]];
      await thread.terminate();
      return took;
    },
  };
}

/** @param share 0.5 for the median, 1 for the largest */
export function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return Math.round(ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN);
}

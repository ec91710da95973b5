// Asks `/healthz` again and again, each time over a connection of its own, and keeps what each answer took.
import { request } from 'node:http';

export interface HealthWatch {
  /** @returns what each answer took in milliseconds; Infinity where there was none within twenty seconds */
  stop(): Promise<readonly number[]>;
}

const EVERY_MS = 100;
const GIVE_UP_MS = 20_000;

export function watchHealth(base: string): HealthWatch {
  const took: number[] = [];
  const isOver = { now: false };
  const running = (async () => {
    while (!isOver.now) {
      took.push(await askOnce(`${base}/healthz`));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
  return {
    async stop() {
      isOver.now = true;
      await running;
      return took;
    },
  };
}

function askOnce(url: string): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, timeout: GIVE_UP_MS }, (response) => {
      response.resume();
      response.once('end', () =>
        resolve(response.statusCode === 200 ? performance.now() - started : Number.POSITIVE_INFINITY),
      );
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(Number.POSITIVE_INFINITY));
    asked.end();
  });
}

/** @param share 0.5 for the median, 1 for the largest */
export function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return Math.round(ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN);
}

// Runs detection while the service runs: a pass whenever a batch is stored, and one per second for time-based
// changes (a loop that grew or went quiet).

import type { Clock } from '../../segment-log/clock.ts';
import { sleep } from '../jobs/sleep.ts';
import { DetectionPipeline, type DetectionPipelineOptions } from './detection-pipeline.ts';

export interface DetectionWorkerOptions
  extends Omit<DetectionPipelineOptions, 'now' | 'pause' | 'isClosing'> {
  readonly clock: Clock;
}

export interface DetectionWorker {
  /** New calls are stored. Returns at once. */
  wake(): void;
  /** Ends after the current pass and writes pending changes. */
  close(): Promise<void>;
}

const TICK_INTERVAL_MS = 1_000;
/** Several batches per second share one pass. */
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

export function startDetectionWorker({ clock, ...options }: DetectionWorkerOptions): DetectionWorker {
  const { log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let wakeUp = new AbortController();
  const pause = (ms: number): Promise<void> => sleep(ms, { signal, clock });
  const pipeline = new DetectionPipeline({
    ...options,
    pause,
    now: () => clock.now(),
    isClosing: () => signal.aborted,
  });

  async function run(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await pipeline.runPass();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn({ err: error }, 'loop detection failed; retrying');
      }
      await pause(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures));
      if (failures > 0) continue;
      await sleep(TICK_INTERVAL_MS, { signal: wakeUp.signal, clock });
      wakeUp = new AbortController();
    }
    // What cannot be written now is detected again by the next process.
    await pipeline.flush().catch((error: unknown) => log.warn({ err: error }, 'loops were not written'));
  }

  const running = run();
  return {
    wake: () => wakeUp.abort(),
    close() {
      stopping.abort();
      wakeUp.abort();
      return running;
    },
  };
}

/** A detection worker that can be stopped and restarted; a new one knows only what is stored. */
export class RestartableWorker {
  readonly #start: () => DetectionWorker | undefined;
  #worker: DetectionWorker | undefined;
  #isClosed = false;

  /** @param start starts the worker; returns undefined if detection is disabled */
  constructor(start: () => DetectionWorker | undefined) {
    this.#start = start;
    this.#worker = start();
  }

  wake(): void {
    this.#worker?.wake();
  }

  /** @returns a function that restarts the worker */
  async stop(): Promise<() => void> {
    await this.#worker?.close();
    this.#worker = undefined;
    return () => {
      if (!this.#isClosed) this.#worker ??= this.#start();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
  }
}

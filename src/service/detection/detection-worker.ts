// Keeps the loops up to date while the service runs: a pass whenever a batch is stored, and one per second
// for time-based changes (a loop that grew or went quiet).

import type { Clock } from '../../segment-log/clock.ts';
import { DetectionPipeline, type DetectionPipelineOptions } from './detection-pipeline.ts';

export interface DetectionWorkerOptions
  extends Omit<DetectionPipelineOptions, 'now' | 'pause' | 'isClosing'> {
  readonly clock: Clock;
}

export interface DetectionWorker {
  /** New calls are stored. Returns at once. */
  wake(): void;
  /** Ends after the pass that runs, and writes what is still to be written. */
  close(): Promise<void>;
}

const TICK_INTERVAL_MS = 1_000;
/** Batches can come many times a second; one pass takes them all. */
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

export function startDetectionWorker({ clock, ...options }: DetectionWorkerOptions): DetectionWorker {
  const timer = createWakeableTimer(clock);
  const pipeline = new DetectionPipeline({
    ...options,
    now: () => clock.now(),
    pause: timer.sleep,
    isClosing: () => timer.isStopped,
  });
  const running = run(pipeline, { ...options, timer });
  let closing: Promise<void> | undefined;
  return {
    wake: timer.wake,
    close() {
      timer.stop();
      closing ??= running;
      return closing;
    },
  };
}

interface RunOptions extends Pick<DetectionWorkerOptions, 'log'> {
  readonly timer: WakeableTimer;
}

async function run(pipeline: DetectionPipeline, { log, timer }: RunOptions): Promise<void> {
  let failures = 0;
  while (!timer.isStopped) {
    try {
      await pipeline.runPass();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.warn({ err: error }, 'loops could not be followed; trying again');
    }
    await timer.sleep(Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures));
    if (failures === 0) await timer.sleepUntilWoken(TICK_INTERVAL_MS);
  }
  // What is not written now is found again by the next process.
  await pipeline.flush().catch((error: unknown) => log.warn({ err: error }, 'loops were not written'));
}

interface WakeableTimer {
  /** Ends a wait, now or the next one. */
  wake(): void;
  stop(): void;
  readonly isStopped: boolean;
  /** For so long, unless stopped. */
  sleep(ms: number): Promise<void>;
  /** For so long, unless rung for or stopped. */
  sleepUntilWoken(ms: number): Promise<void>;
}

function createWakeableTimer(clock: Clock): WakeableTimer {
  let isWoken = false;
  let isStopped = false;
  let wakeUp = (): void => undefined;
  let endPause = (): void => undefined;
  const startSleep = (ms: number, onCancellable: (end: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.schedule(ms, resolve);
      onCancellable(() => {
        cancel();
        resolve();
      });
    });
  return {
    wake() {
      isWoken = true;
      wakeUp();
    },
    stop() {
      isStopped = true;
      wakeUp();
      endPause();
    },
    get isStopped() {
      return isStopped;
    },
    async sleep(ms) {
      if (!isStopped)
        await startSleep(ms, (end) => {
          endPause = end;
        });
    },
    async sleepUntilWoken(ms) {
      if (!isWoken && !isStopped)
        await startSleep(ms, (end) => {
          wakeUp = end;
        });
      isWoken = false;
    },
  };
}

// Keeps the loops up to date while the service runs: a pass whenever a batch has reached the store, and one a second for
// what only time brings (a loop that grew, one that went quiet).

import type { Clock } from '../../segments/clock.ts';
import { Following, type FollowingOptions } from './following.ts';

export interface FollowerOptions extends Omit<FollowingOptions, 'now' | 'pause' | 'isClosing'> {
  readonly clock: Clock;
}

export interface Follower {
  /** Something new is in the store. Returns at once. */
  wake(): void;
  /** Ends after the pass that runs, and writes what is still to be written. */
  close(): Promise<void>;
}

const TICK_MS = 1_000;
/** Batches can come many times a second; one pass takes them all. */
const LEAST_GAP_MS = 200;
const LONGEST_GAP_MS = 10_000;

export function startFollower({ clock, ...options }: FollowerOptions): Follower {
  const alarm = createAlarm(clock);
  const following = new Following({
    ...options,
    now: () => clock.now(),
    pause: alarm.pause,
    isClosing: () => alarm.isStopped,
  });
  const running = run(following, { ...options, alarm });
  let closing: Promise<void> | undefined;
  return {
    wake: alarm.ring,
    close() {
      alarm.stop();
      closing ??= running;
      return closing;
    },
  };
}

interface RunOptions extends Pick<FollowerOptions, 'log'> {
  readonly alarm: Alarm;
}

async function run(following: Following, { log, alarm }: RunOptions): Promise<void> {
  let failures = 0;
  while (!alarm.isStopped) {
    try {
      await following.pass();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.warn({ err: error }, 'loops could not be followed; trying again');
    }
    await alarm.pause(Math.min(LONGEST_GAP_MS, LEAST_GAP_MS * 2 ** failures));
    if (failures === 0) await alarm.wait(TICK_MS);
  }
  // What is not written now is found again by the next process.
  await following.finish().catch((error: unknown) => log.warn({ err: error }, 'loops were not written'));
}

interface Alarm {
  /** Ends a wait, now or the next one. */
  ring(): void;
  stop(): void;
  readonly isStopped: boolean;
  /** For so long, unless stopped. */
  pause(ms: number): Promise<void>;
  /** For so long, unless rung for or stopped. */
  wait(ms: number): Promise<void>;
}

function createAlarm(clock: Clock): Alarm {
  let rung = false;
  let isStopped = false;
  let wakeUp = (): void => undefined;
  let endPause = (): void => undefined;
  const sleep = (ms: number, keep: (end: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.schedule(ms, resolve);
      keep(() => {
        cancel();
        resolve();
      });
    });
  return {
    ring() {
      rung = true;
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
    async pause(ms) {
      if (!isStopped)
        await sleep(ms, (end) => {
          endPause = end;
        });
    },
    async wait(ms) {
      if (!rung && !isStopped)
        await sleep(ms, (end) => {
          wakeUp = end;
        });
      rung = false;
    },
  };
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_PENDING_BYTES } from '../../../src/instrumentation/wrapper/bounded-queue.ts';
import { createRedactionQueue } from '../../../src/instrumentation/wrapper/redaction-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const advanceTime = (ms: number) => vi.advanceTimersByTime(ms);

const UNWEIGHED = { measure: () => 0, shrink: () => {} };

function createWatchedQueue(bytes = 0) {
  const done: number[] = [];
  const dropped: number[] = [];
  const lightened: number[] = [];
  const queue = createRedactionQueue<number>({
    *steps(work) {
      if (work < 0) throw new Error('cannot');
      yield;
      done.push(work);
    },
    onDropped: (work) => dropped.push(work),
    measure: () => bytes,
    shrink: (work) => lightened.push(work),
  });
  return { done, dropped, lightened, queue };
}

describe('redaction queue', () => {
  test('redaction waits for a pause of the event loop and then runs by itself', () => {
    const { done, queue } = createWatchedQueue();
    queue.push(1);
    advanceTime(3);
    queue.push(2);
    advanceTime(4);
    expect(done).toEqual([]);
    advanceTime(20);
    expect(done).toEqual([1, 2]);
  });

  test('redaction starts after a maximum delay even without a pause', () => {
    const { done, queue } = createWatchedQueue();
    // Often enough to leave no pause.
    for (let work = 1; work <= 30; work += 1) {
      queue.push(work);
      advanceTime(2);
    }
    expect(done[0]).toBe(1);
  });

  test('a synchronous flush stops at its time limit', () => {
    const { done, queue } = createWatchedQueue();
    for (let work = 1; work <= 100; work += 1) queue.push(work);
    queue.drain(0);
    expect(done).toEqual([]);
    queue.drain();
    expect(done.length).toBe(100);
  });

  test.each([
    [0.001, 100, 'the processor was with others all the while'],
    [10, 5, 'the time was its own'],
  ])(
    'a queue given %d ms of each ten redacts %i of 100 calls in 50 ms, because %s',
    (workMs, count, _because) => {
      const own = vi.spyOn(process, 'cpuUsage');
      let nowMs = 0;
      const done: number[] = [];
      const queue = createRedactionQueue<number>({
        // biome-ignore lint/correctness/useYield: one step each
        *steps(work) {
          nowMs += 10;
          done.push(work);
        },
        onDropped: () => {},
        ...UNWEIGHED,
      });
      for (let work = 1; work <= 100; work += 1) queue.push(work);
      vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
      own.mockImplementation(() => ({ user: (nowMs / 10) * workMs * 1_000, system: 0 }));
      queue.drain(50);
      expect(done.length).toBe(count);
      vi.restoreAllMocks();
    },
  );

  test('calls are redacted in order, even if one of them fails', () => {
    const { done, queue } = createWatchedQueue();
    for (const work of [1, -1, 2, -1, 3]) queue.push(work);
    queue.drain();
    expect(done).toEqual([1, 2, 3]);
  });

  test('the queue yields to the event loop after about a millisecond', () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    let steps = 0;
    const queue = createRedactionQueue<number>({
      *steps() {
        for (steps = 1; steps < 20; steps += 1) {
          nowMs += 0.5;
          yield;
        }
      },
      onDropped: () => {},
      ...UNWEIGHED,
    });
    queue.push(1);
    nowMs += 5;
    const turns: number[] = [];
    for (let before = 0; before < 20; before = steps) {
      vi.advanceTimersToNextTimer();
      turns.push(steps - before);
    }
    // A step takes half a millisecond.
    expect(Math.max(...turns)).toBeLessThanOrEqual(3);
    expect(turns.length).toBeGreaterThanOrEqual(7);
    vi.restoreAllMocks();
  });

  test('the oldest calls beyond 10,000 are reduced in size and finished at once, and none is dropped', () => {
    const { done, dropped, lightened, queue } = createWatchedQueue();
    for (let work = 1; work <= 10_003; work += 1) queue.push(work);
    expect([done, lightened]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    queue.drain();
    expect([done.length, done.at(-1), dropped]).toEqual([10_003, 10_003, []]);
  });

  test('calls beyond the limit of pending bytes are reduced in size and still redacted', () => {
    const { done, dropped, lightened, queue } = createWatchedQueue(MAX_PENDING_BYTES / 4);
    for (let work = 1; work <= 20; work += 1) queue.push(work);
    queue.drain();
    expect(lightened).toEqual(Array.from({ length: 16 }, (_, at) => at + 5));
    expect([done.length, dropped]).toEqual([20, []]);
    // There is room again, a while later.
    advanceTime(2_000);
    for (let work = 21; work <= 24; work += 1) queue.push(work);
    queue.drain();
    expect(lightened.length).toBe(16);
  });

  test('large calls are limited to a number of bytes per second, however fast they are redacted, and small calls are not', () => {
    const large = createWatchedQueue(200_000);
    const small = createWatchedQueue(20_000);
    for (let ms = 0; ms < 2_000; ms += 5) {
      for (const { queue } of [large, small]) {
        queue.push(ms);
        queue.drain();
      }
      advanceTime(5);
    }
    const takenBytes = (400 - large.lightened.length) * 200_000;
    expect(takenBytes).toBeGreaterThan(9 * 1024 * 1024);
    expect(takenBytes).toBeLessThan(14 * 1024 * 1024);
    expect([large.done.length, small.lightened]).toEqual([400, []]);
  });

  test.each([
    [false, 'the process may live on'],
    [true, 'then the last tells of the others'],
  ])(
    'calls that do not fit in the last flush are dropped (%s) only at the very end, because %s',
    (isLast, _because) => {
      const { done, dropped, lightened, queue } = createWatchedQueue();
      for (let work = 1; work <= 100; work += 1) queue.push(work);
      // Each look at the clock takes a millisecond.
      let nowMs = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => nowMs++);
      vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: nowMs * 1_000, system: 0 }));
      queue.finish(5, isLast);
      vi.restoreAllMocks();
      expect(lightened.length).toBeGreaterThan(90);
      expect(done.length).toBeLessThan(20);
      expect([dropped.length, done.at(-1)]).toEqual(isLast ? [100 - done.length, 100] : [0, done.length]);
    },
  );

  test('a call that is too large on its own is reduced in size', () => {
    const { done, lightened, queue } = createWatchedQueue(MAX_PENDING_BYTES + 1);
    queue.push(1);
    advanceTime(100);
    expect([done, lightened]).toEqual([[1], [1]]);
  });

  test('sizes are not measured during a call unless many calls come at once', () => {
    const weighed: number[] = [];
    const queue = createRedactionQueue<number>({
      *steps() {},
      onDropped: () => {},
      measure: (work) => weighed.push(work),
      shrink: () => {},
    });
    for (let work = 1; work <= 5; work += 1) queue.push(work);
    expect(weighed).toEqual([]);
    for (let work = 6; work <= 12; work += 1) queue.push(work);
    expect(weighed.length).toBeGreaterThanOrEqual(8);
    advanceTime(100);
    expect(weighed.length).toBe(12);
  });

  test('large values are released at once while the budget is used up, and sizes are no longer measured at once after that', () => {
    let bytes = MAX_PENDING_BYTES + 1;
    const measured: number[] = [];
    const shrunk: number[] = [];
    const queue = createRedactionQueue<number>({
      *steps() {},
      onDropped: () => {},
      measure: (work) => {
        measured.push(work);
        return bytes;
      },
      shrink: (work) => shrunk.push(work),
    });
    queue.push(1);
    expect(shrunk).toEqual([]);
    advanceTime(100);
    queue.push(2);
    expect(shrunk).toEqual([1, 2]);
    bytes = 10;
    queue.push(3);
    queue.push(4);
    expect(measured).toEqual([1, 2, 3]);
  });

  test('redacted calls are released while others still wait', async () => {
    vi.useRealTimers();
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const pushed: WeakRef<object>[] = [];
    let held = Number.NaN;
    const queue = createRedactionQueue<{ readonly at: number }>({
      *steps({ at }) {
        if (at !== 900) return;
        collect();
        held = pushed.slice(0, 800).filter((one) => one.deref() !== undefined).length;
      },
      onDropped: () => {},
      ...UNWEIGHED,
    });
    for (let at = 0; at < 1_000; at += 1) {
      const work = { at };
      pushed.push(new WeakRef(work));
      queue.push(work);
    }
    // A weak reference holds on to its object until the turn in which it was made is over.
    await new Promise(setImmediate);
    queue.drain();
    expect(held).toBeLessThan(50);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReductionQueue } from '../../../src/host/wrapper/reduction-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTime(ms);

function watch() {
  const done: number[] = [];
  const dropped: number[] = [];
  const queue = createReductionQueue<number>({
    *steps(work) {
      if (work < 0) throw new Error('cannot');
      yield;
      done.push(work);
    },
    dropped: (work) => dropped.push(work),
  });
  return { done, dropped, queue };
}

describe('the reduction queue', () => {
  test('waits for a pause, then works by itself', () => {
    const { done, queue } = watch();
    queue.push(1);
    pass(3);
    queue.push(2);
    pass(4);
    expect(done).toEqual([]);
    pass(20);
    expect(done).toEqual([1, 2]);
  });

  test('does not wait for ever for a pause', () => {
    const { done, queue } = watch();
    // Often enough to leave no pause.
    for (let work = 1; work <= 30; work += 1) {
      queue.push(work);
      pass(2);
    }
    expect(done[0]).toBe(1);
  });

  test('works no longer than it is given when it has to be quick', () => {
    const { done, queue } = watch();
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
    'that works %d ms in each ten that pass does %i of 100 in 50 ms, because %s',
    (workMs, count, _because) => {
      const own = vi.spyOn(process, 'cpuUsage');
      let nowMs = 0;
      const done: number[] = [];
      const queue = createReductionQueue<number>({
        // biome-ignore lint/correctness/useYield: one step each
        *steps(work) {
          nowMs += 10;
          done.push(work);
        },
        dropped: () => {},
      });
      for (let work = 1; work <= 100; work += 1) queue.push(work);
      vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
      own.mockImplementation(() => ({ user: (nowMs / 10) * workMs * 1_000, system: 0 }));
      queue.drain(50);
      expect(done.length).toBe(count);
      vi.restoreAllMocks();
    },
  );

  test('keeps the order, through work that fails', () => {
    const { done, queue } = watch();
    for (const work of [1, -1, 2, -1, 3]) queue.push(work);
    queue.drain();
    expect(done).toEqual([1, 2, 3]);
  });

  test('yields to the event loop within a millisecond or so', () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    let steps = 0;
    const queue = createReductionQueue<number>({
      *steps() {
        for (steps = 1; steps < 20; steps += 1) {
          nowMs += 0.5;
          yield;
        }
      },
      dropped: () => {},
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

  test('gives up the oldest beyond 10,000, and says so', () => {
    const { done, dropped, queue } = watch();
    for (let work = 1; work <= 10_003; work += 1) queue.push(work);
    queue.drain();
    expect(dropped).toEqual([1, 2, 3]);
    expect([done.length, done[0], done.at(-1)]).toEqual([10_000, 4, 10_003]);
  });
});

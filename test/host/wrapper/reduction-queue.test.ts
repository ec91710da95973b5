import { describe, expect, test } from 'vitest';
import { createReductionQueue } from '../../../src/host/wrapper/reduction-queue.ts';
import { until } from './receiver.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

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
  test('waits for a pause, then works by itself', async () => {
    const { done, queue } = watch();
    queue.push(1);
    await nextTurn();
    queue.push(2);
    expect(done).toEqual([]);
    await until(() => done.length === 2);
    expect(done).toEqual([1, 2]);
  });

  test('does not wait for ever for a pause', async () => {
    const { done, queue } = watch();
    const deadline = performance.now() + 10_000;
    let pushed = 0;
    let nextMs = 0;
    while (done.length === 0 && performance.now() < deadline) {
      // Often enough to leave no pause, and not so often that the queue gives up its oldest.
      if (performance.now() >= nextMs) {
        pushed += 1;
        queue.push(pushed);
        nextMs = performance.now() + 1;
      }
      await nextTurn();
    }
    expect(done[0]).toBe(1);
  });

  test('works no longer than it is given when it has to be quick', () => {
    const { done, queue } = watch();
    for (let work = 1; work <= 100; work += 1) queue.push(work);
    queue.drain(performance.now() - 1);
    expect(done).toEqual([]);
    queue.drain();
    expect(done.length).toBe(100);
  });

  test('keeps the order, through work that fails', () => {
    const { done, queue } = watch();
    for (const work of [1, -1, 2, -1, 3]) queue.push(work);
    queue.drain();
    expect(done).toEqual([1, 2, 3]);
  });

  test('yields to the event loop within a millisecond or so', async () => {
    let steps = 0;
    const queue = createReductionQueue<number>({
      *steps() {
        for (steps = 0; steps < 20; steps += 1) {
          const end = performance.now() + 0.5;
          while (performance.now() < end);
          yield;
        }
      },
      dropped: () => {},
    });
    queue.push(1);
    let turns = 0;
    await until(() => steps > 0);
    while (steps < 20) {
      await nextTurn();
      turns += 1;
    }
    // Ten milliseconds of work: three steps a turn at most, fewer where the machine is slow; the first turn is past.
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  test('gives up the oldest beyond 10,000, and says so', () => {
    const { done, dropped, queue } = watch();
    for (let work = 1; work <= 10_003; work += 1) queue.push(work);
    queue.drain();
    expect(dropped).toEqual([1, 2, 3]);
    expect([done.length, done[0], done.at(-1)]).toEqual([10_000, 4, 10_003]);
  });
});

import { describe, expect, test } from 'vitest';
import { createReductionQueue } from '../../../src/host/wrapper/reduction-queue.ts';

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
  test('does nothing in the turn it was asked in', async () => {
    const { done, queue } = watch();
    queue.push(1);
    await Promise.resolve();
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual([1]);
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
          const until = performance.now() + 0.5;
          while (performance.now() < until);
          yield;
        }
      },
      dropped: () => {},
    });
    queue.push(1);
    let turns = 0;
    while (steps < 20) {
      await nextTurn();
      turns += 1;
    }
    // Ten milliseconds of work: three steps a turn at most, fewer where the machine is slow.
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  test('gives up the oldest beyond 10,000, and says so', () => {
    const { done, dropped, queue } = watch();
    for (let work = 1; work <= 10_003; work += 1) queue.push(work);
    queue.drain();
    expect(dropped).toEqual([1, 2, 3]);
    expect([done.length, done[0], done.at(-1)]).toEqual([10_000, 4, 10_003]);
  });
});

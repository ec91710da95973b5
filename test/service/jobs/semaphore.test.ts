import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSemaphore } from '../../../src/service/jobs/semaphore.ts';

describe('Semaphore', () => {
  test('a semaphore admits as many tasks as it has slots, lets others wait and refuses the rest', async () => {
    const semaphore = createSemaphore({ maxConcurrent: 1, maxWaiting: 1 });
    const release = await semaphore.acquire();
    const waiting = semaphore.acquire();
    expect(await semaphore.acquire()).toBeUndefined();
    release?.();
    expect(await waiting).toBeTypeOf('function');
  });

  test('a semaphore admits waiting tasks by their order, and equal ones by arrival', async () => {
    const semaphore = createSemaphore({ maxConcurrent: 1, maxWaiting: 9 });
    const release = await semaphore.acquire();
    const admitted: string[] = [];
    const tasks = [
      ['b', 2],
      ['a', 1],
      ['c', 2],
    ] as const;
    const running = tasks.map(async ([name, order]) => {
      const end = await semaphore.acquire(order);
      admitted.push(name);
      end?.();
    });
    release?.();
    await Promise.all(running);
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  test('a semaphore refuses a task that waited too long, and keeps the place of the others', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const semaphore = createSemaphore({ maxConcurrent: 1, maxWaiting: 9, maxWaitMs: 10 });
    const release = await semaphore.acquire();
    const early = semaphore.acquire();
    await vi.advanceTimersByTimeAsync(5);
    const later = semaphore.acquire();
    await vi.advanceTimersByTimeAsync(5);
    expect(await early).toBeUndefined();
    release?.();
    expect(await later).toBeTypeOf('function');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a semaphore is idle when nothing runs and nothing waits', async () => {
    const semaphore = createSemaphore({ maxConcurrent: 1, maxWaiting: 9 });
    await semaphore.idle();
    const release = await semaphore.acquire();
    const waiting = semaphore.acquire();
    let isIdle = false;
    const idle = semaphore.idle().then(() => {
      isIdle = true;
    });
    release?.();
    const releaseSecond = await waiting;
    expect(isIdle).toBe(false);
    releaseSecond?.();
    await idle;
  });
});

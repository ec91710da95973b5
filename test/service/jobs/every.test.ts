import { describe, expect, test } from 'vitest';
import { every } from '../../../src/service/jobs/every.ts';
import { createSteppedClock } from '../../support/stepped-clock.ts';

/** A job whose runs end when the test says so. */
function startJob(options: { intervalFrom?: 'end' | 'start'; closeTimeoutMs?: number } = {}) {
  const clock = createSteppedClock();
  const startedAt: number[] = [];
  const signals: AbortSignal[] = [];
  let end = (): void => undefined;
  const job = every(
    (signal) => {
      startedAt.push(clock.now());
      signals.push(signal);
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    { firstDelayMs: 10, intervalMs: 100, clock, ...options },
  );
  return { clock, startedAt, signals, job, end: () => end() };
}

describe('every', () => {
  test('a repeating job starts after its first delay and repeats an interval after each run ended', async () => {
    const { clock, startedAt, end } = startJob();
    await clock.advance(9);
    expect(startedAt).toEqual([]);
    await clock.advance(1);
    await clock.advance(50);
    end();
    await clock.advance(0);
    await clock.advance(99);
    expect(startedAt).toEqual([10]);
    await clock.advance(1);
    expect(startedAt).toEqual([10, 160]);
  });

  test('a repeating job repeats an interval after each run started if that is the option', async () => {
    const { clock, startedAt, end } = startJob({ intervalFrom: 'start' });
    await clock.advance(10);
    await clock.advance(50);
    end();
    await clock.advance(0);
    await clock.advance(50);
    expect(startedAt).toEqual([10, 110]);
  });

  test('a repeating job starts no run during another one, and the next at once after one longer than the interval', async () => {
    const { clock, startedAt, end } = startJob({ intervalFrom: 'start' });
    await clock.advance(10);
    await clock.advance(1_000);
    expect([startedAt, clock.waiting]).toEqual([[10], 0]);
    end();
    await clock.advance(0);
    await clock.advance(0);
    expect(startedAt).toEqual([10, 1_010]);
  });

  test('a closed repeating job leaves no timer', async () => {
    const idle = startJob();
    await idle.job.close();
    expect(idle.clock.waiting).toBe(0);
    const busy = startJob();
    await busy.clock.advance(10);
    const closing = busy.job.close();
    expect(busy.signals[0]?.aborted).toBe(true);
    busy.end();
    await closing;
    expect(busy.clock.waiting).toBe(0);
  });

  test('closing a repeating job waits no longer than the time limit for a run that hangs', async () => {
    const { clock, job } = startJob({ closeTimeoutMs: 5 });
    await clock.advance(10);
    let isClosed = false;
    const closing = job.close().then(() => {
      isClosed = true;
    });
    await clock.advance(4);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closing;
  });
});

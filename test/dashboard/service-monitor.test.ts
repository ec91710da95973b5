// When a page says that the service does not answer, with a clock of the test's own.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceMonitor } from '../../dashboard/src/api/service-monitor.ts';

/** The page has to say it by then. */
const NOTICE_WITHIN_MS = 10_000;
const RECOVER_WITHIN_MS = 5_000;

type Liveness = 'answers' | 'refuses' | 'hangs';

let watch: ServiceMonitor;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

function open(liveness: Liveness): { become: (next: Liveness) => void; probes: () => number } {
  let now = liveness;
  let probes = 0;
  watch = new ServiceMonitor({
    probe: (timeoutMs) => {
      probes += 1;
      if (now !== 'hangs') return Promise.resolve(now === 'answers');
      return new Promise((resolve) => setTimeout(() => resolve(false), timeoutMs));
    },
  });
  watch.start();
  return {
    become: (next) => {
      now = next;
    },
    probes: () => probes,
  };
}

describe('service monitor', () => {
  test.each<[Liveness, string]>([
    ['refuses', 'nobody listens on the port'],
    ['hangs', 'the process is stopped, or the network drops everything'],
  ])('a service that %s is reported silent within ten seconds, because %s', async (liveness) => {
    const { become } = open('answers');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(watch.unreachableSinceMs()).toBeUndefined();
    become(liveness);
    await vi.advanceTimersByTimeAsync(NOTICE_WITHIN_MS);
    expect(watch.unreachableSinceMs()).toBeLessThanOrEqual(Date.now() - 1_000);
    become('answers');
    await vi.advanceTimersByTimeAsync(RECOVER_WITHIN_MS);
    expect(watch.unreachableSinceMs()).toBeUndefined();
  });

  test('any message of the service counts as a sign of life and avoids a request', async () => {
    const { probes } = open('hangs');
    for (let beat = 0; beat < 60; beat += 1) {
      await vi.advanceTimersByTimeAsync(2_000);
      watch.recordActivity();
    }
    expect([watch.unreachableSinceMs(), probes()]).toEqual([undefined, 0]);
  });

  test('a response that arrives during a liveness check outweighs the failed check', async () => {
    open('hangs');
    watch.checkNow();
    await vi.advanceTimersByTimeAsync(1_000);
    watch.recordActivity();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(watch.unreachableSinceMs()).toBeUndefined();
  });

  test('listeners are notified once when the service falls silent and once when it is back', async () => {
    const { become } = open('refuses');
    const told = vi.fn();
    watch.subscribe(told);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toHaveBeenCalledTimes(1);
    become('answers');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toHaveBeenCalledTimes(2);
  });
});

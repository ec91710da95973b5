// When reconciliations run, on a clock that the test moves; and how long a hold is waited for.

import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { holdWrites } from '../../../src/service/maintenance/hold-writes.ts';
import type { Reconciliation } from '../../../src/service/maintenance/reconcile.ts';
import { startReconcileJob } from '../../../src/service/maintenance/reconcile-job.ts';
import { createSteppedClock } from '../../support/stepped-clock.ts';

const equal = (atMs: number): Reconciliation => ({ atMs, result: 'equal', hours: 0, days: [] });

function startLoop(check: (ending: AbortSignal) => Promise<Reconciliation>) {
  const clock = createSteppedClock();
  const seen: string[] = [];
  const loop = startReconcileJob({
    check,
    clock,
    onDone: ({ result }) => seen.push(result),
    onFailed: () => seen.push('not done'),
    log: pino({ level: 'silent' }),
  });
  return { clock, seen, loop };
}

describe('reconciliation job', () => {
  test('the reconciliation job runs seconds after the start and then every five minutes', async () => {
    let checks = 0;
    const { clock, loop } = startLoop(async () => equal(++checks));
    expect(loop.last).toBeUndefined();
    await clock.advance(4_999);
    expect(checks).toBe(0);
    await clock.advance(1);
    expect(checks).toBe(1);
    expect(loop.last?.atMs).toBe(1);
    await clock.advance(299_999);
    expect(checks).toBe(1);
    await clock.advance(1);
    expect(checks).toBe(2);
    await loop.close();
  });

  test('the reconciliation job never runs twice at once, however long a check takes', async () => {
    let end = (_: Reconciliation): void => undefined;
    let checks = 0;
    const { clock, loop } = startLoop(() => {
      checks += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    await clock.advance(5_000);
    await clock.advance(3_600_000);
    expect(checks).toBe(1);
    end(equal(1));
    await clock.advance(300_000);
    await clock.advance(300_000);
    expect(checks).toBe(2);
    end(equal(2));
    await loop.close();
  });

  test('the reconciliation job reports a failed check and tries again', async () => {
    let checks = 0;
    const { clock, seen, loop } = startLoop(async () => {
      checks += 1;
      if (checks === 1) throw new UpstreamError('STORE_UNAVAILABLE', 'away', { retryable: true });
      return equal(checks);
    });
    await clock.advance(5_000);
    await clock.advance(300_000);
    expect(seen).toEqual(['not done', 'equal']);
    await loop.close();
  });

  test('the reconciliation job closes at once when it is idle, and after five seconds when a check hangs', async () => {
    const idle = startLoop(async () => equal(1));
    await idle.loop.close();
    expect(idle.clock.waiting).toBe(0);

    let signal: AbortSignal | undefined;
    const hanging = startLoop((ending) => {
      signal = ending;
      return new Promise(() => undefined);
    });
    await hanging.clock.advance(5_000);
    let closed = false;
    const closing = hanging.loop.close().then(() => {
      closed = true;
    });
    expect(signal?.aborted).toBe(true);
    await hanging.clock.advance(4_999);
    expect(closed).toBe(false);
    await hanging.clock.advance(1);
    await closing;
  });
});

describe('hold of writes', () => {
  test('a hold that begins in time is granted', async () => {
    const clock = createSteppedClock();
    let released = false;
    const release = await holdWrites({ holdWrites: async () => () => (released = true) }, { clock });
    expect(clock.waiting).toBe(0);
    release();
    expect(released).toBe(true);
  });

  test('a hold that begins after more than a minute is released at once', async () => {
    const clock = createSteppedClock();
    let begin = (_: () => void): void => undefined;
    let released = false;
    const ingest = {
      holdWrites: () =>
        new Promise<() => void>((resolve) => {
          begin = resolve;
        }),
    };
    const outcome = expect(holdWrites(ingest, { clock })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    });
    await clock.advance(60_000);
    await outcome;
    begin(() => {
      released = true;
    });
    await clock.advance(0);
    expect(released).toBe(true);
  });

  test('a hold that has not begun does not delay the closing of the service', async () => {
    const closing = new AbortController();
    const clock = createSteppedClock();
    const waiting = holdWrites(
      { holdWrites: () => new Promise(() => undefined) },
      { clock, signal: closing.signal },
    );
    closing.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_READY' });
    expect(clock.waiting).toBe(0);
  });

  test('the error of a failed hold is passed on', async () => {
    const clock = createSteppedClock();
    const ingest = { holdWrites: () => Promise.reject(new Error('stopped')) };
    await expect(holdWrites(ingest, { clock })).rejects.toThrow('stopped');
    expect(clock.waiting).toBe(0);
  });
});

import { expect, test } from 'vitest';
import type { Instant } from '../../../src/core/observer/observed-call.ts';
import type { CallReporter } from '../../../src/host/proxy/call-reporter.ts';
import { createLateReporter } from '../../../src/host/proxy/late-reporter.ts';

const at = (ms: number): Instant => ({ wallUs: ms * 1000, monotonicMs: ms });

function record() {
  const told: unknown[] = [];
  const reporter: CallReporter = {
    fromClient(message, instant) {
      told.push(['client', message, instant.monotonicMs]);
      return message === 'stop' ? { stopped: true } : undefined;
    },
    fromServer: (message, instant) => told.push(['server', message, instant.monotonicMs]),
    awaitsNudge: () => true,
    blockFor: (message) => ({ to: message }),
    async close() {
      told.push('closed');
    },
  };
  return { told, reporter };
}

test('what was said while it loaded is told in order, with its own times', async () => {
  const { told, reporter } = record();
  let load = (_one: CallReporter) => {};
  const late = createLateReporter(
    new Promise((resolve) => {
      load = resolve;
    }),
  );
  late.fromClient('a', at(1));
  late.fromServer('b', at(2));
  const closed = late.close(100);
  expect(told).toEqual([]);
  load(reporter);
  await closed;
  expect(told).toEqual([['client', 'a', 1], ['server', 'b', 2], 'closed']);
});

test('what is said later goes straight on', async () => {
  const { told, reporter } = record();
  const late = createLateReporter(Promise.resolve(reporter));
  await new Promise(setImmediate);
  late.fromClient('a', at(3));
  expect(told).toEqual([['client', 'a', 3]]);
});

test('one that cannot be loaded keeps nothing and closes', async () => {
  const late = createLateReporter(Promise.reject(new Error('no such module')));
  late.fromClient('a', at(1));
  await expect(late.close(100)).resolves.toBeUndefined();
});

test('nobody waits for a word of a guard that is not there yet', async () => {
  const { reporter } = record();
  const late = createLateReporter(Promise.resolve(reporter));
  expect([late.awaitsNudge(), late.blockFor('a')]).toEqual([false, undefined]);
  await late.ready;
  expect([late.awaitsNudge(), late.blockFor('a')]).toEqual([true, { to: 'a' }]);
});

test('an answer of the guard is passed on once there is one to ask', async () => {
  const { told, reporter } = record();
  const late = createLateReporter(Promise.resolve(reporter));
  expect(late.fromClient('stop', at(1))).toBeUndefined();
  await late.ready;
  expect(late.fromClient('stop', at(2))).toEqual({ stopped: true });
  expect(late.fromClient('go', at(3))).toBeUndefined();
  expect(told.length).toBe(3);
});

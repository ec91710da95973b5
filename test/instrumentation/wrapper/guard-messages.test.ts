// Which request a call is, also when its arguments were let go of before anybody asked.
import { expect, test } from 'vitest';
import type { ObservedCall, OpenCall } from '../../../src/core/observer/observed-call.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { releaseValues } from '../../../src/core/observer/release-values.ts';
import { toGuardRequest } from '../../../src/instrumentation/wrapper/guard-messages.ts';

const at = { wallUs: 0, monotonicMs: 0 };

/** Answered calls of one tool with the given arguments. */
function answeredCalls(all: readonly object[]) {
  const opened: OpenCall[] = [];
  const ended: ObservedCall[] = [];
  const observer = createObserver({
    onOpened: (call) => void opened.push(call),
    onEnded: (call) => void ended.push(call),
  });
  const connection = observer.connect({
    identify: () => ({ traceId: '', spanId: '', parentSpanId: '' }),
    transport: 'stdio',
    connectionId: 'c',
    environment: '',
    server: { name: '', version: '' },
  });
  for (const [id, args] of all.entries()) {
    connection.received(
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 't', arguments: args } },
      at,
    );
    connection.sent({ jsonrpc: '2.0', id, result: {} }, at);
  }
  return { requests: opened.map(toGuardRequest), ended };
}

test('requests with the same arguments have the same identity', () => {
  const { requests } = answeredCalls([{ a: 1 }, { a: 1 }, { a: 2 }]);
  const [one, same, other] = requests.map(({ identity }) => identity());
  expect(one).toBe(same);
  expect(one).not.toBe(other);
});

test('released arguments are not kept in memory and equal no others', () => {
  const pad = 'x'.repeat(50_000);
  const { requests, ended } = answeredCalls([{ pad }, { pad }, {}]);
  for (const call of ended.slice(0, 2)) releaseValues(call);
  expect(new Set(requests.map(({ identity }) => identity())).size).toBe(3);
});

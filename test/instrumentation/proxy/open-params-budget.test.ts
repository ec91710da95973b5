// What the params of open calls take is bounded in bytes; the call itself stays, with what names it.
import { describe, expect, test } from 'vitest';
import type { OpenCall } from '../../../src/core/observer/observed-call.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { createOpenParamsBudget } from '../../../src/instrumentation/proxy/open-params-budget.ts';
import { OUTLINED_BYTES } from '../../../src/instrumentation/proxy/outlined-message.ts';
import { parseMessageLine } from '../../../src/instrumentation/proxy/parse-message-line.ts';

const MB = 1024 * 1024;
const PAD = 'x'.repeat(100_000);
const LIST = Array.from({ length: 5_000 }, (_, n) => [n]);
const at = { wallUs: 0, monotonicMs: 0 };

/** A connection whose calls stay open until the test answers them. */
function connect(mostBytes: number) {
  const calls: OpenCall[] = [];
  const openParams = createOpenParamsBudget(mostBytes);
  const observer = createObserver({
    onOpened(call) {
      calls.push(call);
      openParams.onOpened(call);
    },
    onEnded: ({ open }) => openParams.onEnded(open),
  });
  const connection = observer.connect({
    identify: () => ({ traceId: '', spanId: '', parentSpanId: '' }),
    transport: 'stdio',
    connectionId: 'c',
    environment: '',
    server: { name: '', version: '' },
  });
  function send(id: number, method: string, params: object): void {
    const read = parseMessageLine(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
    if (read.kind === 'message') connection.received(read.message, at);
  }
  const isKnown = ({ params }: OpenCall): boolean =>
    (params as { [OUTLINED_BYTES]?: number })[OUTLINED_BYTES] === undefined;
  return { openParams, calls, send, connection, isKnown };
}

describe('params of open calls', () => {
  test.each([
    ['tools/call', 'its arguments wait as bytes', { name: 't', arguments: { pad: PAD } }],
    ['tools/call', 'with _meta it is parsed at once', { name: 't', _meta: {}, arguments: { pad: PAD } }],
    ['prompts/get', 'a prompt is parsed at once', { name: 't', arguments: { pad: PAD } }],
    ['x/y', 'a list takes more than its text', { name: 't', list: LIST }],
  ])('the held params of %s are bounded in bytes: %s', (method, _because, params) => {
    const { openParams, calls, send, isKnown } = connect(MB);
    for (let id = 1; id <= 100; id += 1) send(id, method, params);
    expect(calls).toHaveLength(100);
    expect(openParams.bytes).toBeLessThanOrEqual(MB);
    expect(calls.map(isKnown).indexOf(true)).toBeGreaterThan(80);
    expect(calls.map(isKnown).lastIndexOf(false)).toBe(calls.map(isKnown).indexOf(true) - 1);
    expect(calls[0]?.params).toMatchObject({ name: 't' });
  });

  test('params that were released are not equal to any others', () => {
    const { calls, send } = connect(1);
    for (let id = 1; id <= 3; id += 1)
      send(id, 'tools/call', { name: 't', arguments: { pad: 'x'.repeat(9_000) } });
    const [one, two] = calls.map(({ params }) => (params as { arguments: unknown }).arguments);
    expect(one).not.toEqual(two);
  });

  test('the budget is freed when calls end, and an answered call uses none', () => {
    const { openParams, send, connection } = connect(MB);
    for (let id = 1; id <= 500; id += 1) {
      send(id, 'tools/call', { name: 't', arguments: { pad: 'x'.repeat(9_000) } });
      if (id > 50) connection.sent({ jsonrpc: '2.0', id, result: {} }, at);
    }
    expect(openParams.bytes).toBeLessThan(50 * 9_100);
    for (let id = 1; id <= 50; id += 1) connection.sent({ jsonrpc: '2.0', id, result: {} }, at);
    expect(openParams.bytes).toBe(0);
  });
});

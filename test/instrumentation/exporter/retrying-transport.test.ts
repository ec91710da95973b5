import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRetryingTransport } from '../../../src/instrumentation/exporter/retrying-transport.ts';
import type { SendResult } from '../../../src/instrumentation/exporter/send-result.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const UNREACHABLE: SendResult = { status: 'retryable', reason: 'ECONNREFUSED' };
const BODY = new Uint8Array(10);

function createTransport(...results: SendResult[]) {
  let sent = 0;
  const inner = {
    async send() {
      sent += 1;
      return results.shift() ?? { status: 'delivered' as const, rejectedSpans: 0 };
    },
    close() {},
  };
  return { transport: createRetryingTransport(inner, () => 0), countSent: () => sent };
}

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('delay before the next attempt', () => {
  test('the delay doubles from one second to half a minute', async () => {
    const { transport } = createTransport(...Array.from({ length: 7 }, () => UNREACHABLE));
    const delays: unknown[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) delays.push(await transport.send(BODY));
    expect(delays).toMatchObject(
      [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].map((delayMs) => ({ delayMs })),
    );
    expect(transport.isFailing).toBe(true);
  });

  test.each([
    [0, 0],
    [40_000, 40_000],
    [9_999_999, 120_000],
  ])(
    'the delay follows the receiver’s Retry-After up to two minutes: %i ms becomes %i ms',
    async (afterMs, expected) => {
      const { transport } = createTransport({ status: 'retryable', reason: '429', afterMs });
      expect(await transport.send(BODY)).toMatchObject({ delayMs: expected });
      expect(transport.notBeforeMs).toBe(NOW + expected);
    },
  );

  test('the delay starts again at one second after a success', async () => {
    const { transport } = createTransport(
      UNREACHABLE,
      { status: 'retryable', reason: '429', afterMs: 5_000 },
      { status: 'delivered', rejectedSpans: 0 },
      UNREACHABLE,
    );
    await transport.send(BODY);
    await transport.send(BODY);
    await transport.send(BODY);
    expect([transport.isFailing, transport.notBeforeMs]).toEqual([false, 0]);
    expect(await transport.send(BODY)).toMatchObject({ delayMs: 1_000 });
  });
});

test('a body that is too large is refused without being sent', async () => {
  const { transport, countSent } = createTransport();
  expect(await transport.send(new Uint8Array(4 * 1024 * 1024 + 1))).toMatchObject({ status: 'refused' });
  expect(countSent()).toBe(0);
});

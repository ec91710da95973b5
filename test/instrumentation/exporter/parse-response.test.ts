import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeBackoffMs } from '../../../src/instrumentation/exporter/backoff.ts';
import {
  parseReceiverResponse,
  parseRetryAfter,
} from '../../../src/instrumentation/exporter/parse-response.ts';
import type { SendResult } from '../../../src/instrumentation/exporter/send-result.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('an answer', () => {
  test.each<[number, string, SendResult, string]>([
    [200, '{}', { status: 'delivered', rejectedSpans: 0 }, 'all were taken'],
    [200, '', { status: 'delivered', rejectedSpans: 0 }, 'a success without a body is a success'],
    [
      200,
      'not json',
      { status: 'delivered', rejectedSpans: 0 },
      'a success that cannot be read is a success',
    ],
    [202, 'null', { status: 'delivered', rejectedSpans: 0 }, 'any 2xx is a success'],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":"3"}}',
      { status: 'delivered', rejectedSpans: 3 },
      'proto3 JSON has text',
    ],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":2}}',
      { status: 'delivered', rejectedSpans: 2 },
      'some send a number',
    ],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":-1}}',
      { status: 'delivered', rejectedSpans: 0 },
      'nonsense counts not',
    ],
    ...[429, 502, 503, 504].map((code): [number, string, SendResult, string] => [
      code,
      '',
      { status: 'retryable', reason: `the receiver answered ${code}` },
      'the protocol lists it',
    ]),
    ...[302, 400, 401, 404, 413, 500, 501].map((code): [number, string, SendResult, string] => [
      code,
      '',
      { status: 'refused', reason: `the receiver answered ${code}` },
      'it would be answered the same again',
    ]),
  ])('%d %s is %j, because %s', (statusCode, body, expected, _because) => {
    expect(parseReceiverResponse({ statusCode, body, retryAfter: undefined, nowMs: NOW })).toEqual(expected);
  });

  test('carries what the receiver asked for', () => {
    const answer = parseReceiverResponse({ statusCode: 429, body: '', retryAfter: '7', nowMs: NOW });
    expect(answer).toMatchObject({ afterMs: 7_000 });
  });
});

test.each([
  ['3', 3_000, 'seconds'],
  ['0', 0, 'now'],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000, 'an HTTP-date'],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0, 'a date that has passed is now'],
  ['-1', undefined, 'nonsense'],
  ['soon', undefined, 'nonsense'],
  [undefined, undefined, 'nothing was said'],
])('Retry-After %s is %s ms, because it is %s', (header, expected, _because) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});

describe('the wait', () => {
  const wait = (failures: number, afterMs?: number) => computeBackoffMs({ failures, afterMs, random: 0 });

  test('doubles up to half a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map((failures) => wait(failures))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  test('is what the receiver asks for, within two minutes', () => {
    expect([wait(5, 0), wait(1, 40_000), wait(1, 9_999_999)]).toEqual([0, 40_000, 120_000]);
  });

  test('spreads by at most a fifth and never comes early', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
        const ratio =
          computeBackoffMs({ failures: failures + 1, afterMs: undefined, random }) / wait(failures + 1);
        expect(ratio).toBeGreaterThanOrEqual(1);
        expect(ratio).toBeLessThanOrEqual(1.2);
      }),
    );
  });
});

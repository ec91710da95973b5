import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BackoffLimits,
  computeBackoffMs,
  type FailedAttempt,
  parseRetryAfter,
} from '../../../src/core/values/backoff.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const LIMITS: BackoffLimits = { firstMs: 2_000, maxMs: 600_000, maxRetryAfterMs: 3_600_000 };

const delays: readonly [FailedAttempt, number, string][] = [
  [{ failures: 1, retryAfterMs: undefined, random: 0 }, 2_000, 'the first retry is soon'],
  [{ failures: 2, retryAfterMs: undefined, random: 0 }, 4_000, 'the delay doubles'],
  [{ failures: 4, retryAfterMs: undefined, random: 0 }, 16_000, 'the delay doubles'],
  [{ failures: 50, retryAfterMs: undefined, random: 0 }, 600_000, 'there is an upper bound'],
  [{ failures: 1, retryAfterMs: undefined, random: 0.5 }, 2_200, 'jitter spreads many senders'],
  [{ failures: 0 }, 0, 'nothing failed'],
  [{ failures: 9, retryAfterMs: 500, random: 0 }, 500, 'the request of the receiver takes precedence'],
  [{ failures: 5, retryAfterMs: 0, random: 0 }, 0, 'the receiver may request an immediate retry'],
  [
    { failures: 1, retryAfterMs: 9e9, random: 0 },
    3_600_000,
    'the request of the receiver has an upper bound',
  ],
];
test.each(delays)('after %j the delay is %i ms, because %s', (attempt, expected) => {
  expect(computeBackoffMs(attempt, LIMITS)).toBe(expected);
});

test('jitter adds at most a fifth and never shortens the delay', () => {
  const withoutJitter = (failures: number) =>
    computeBackoffMs({ failures, retryAfterMs: undefined, random: 0 }, LIMITS);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 41 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failures, random) => {
        const delayMs = computeBackoffMs({ failures, retryAfterMs: undefined, random }, LIMITS);
        expect(delayMs / withoutJitter(failures)).toBeGreaterThanOrEqual(1);
        expect(delayMs / withoutJitter(failures)).toBeLessThanOrEqual(1.2);
      },
    ),
  );
});

describe('Retry-After', () => {
  test.each<[string | undefined, number | undefined, string]>([
    [undefined, undefined, 'the header is missing'],
    ['120', 120_000, 'it is in seconds'],
    ['0', 0, 'it means now'],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000, 'it is an HTTP-date'],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0, 'that date has passed'],
    ['soon', undefined, 'it is malformed'],
    ['-1', undefined, 'it is malformed'],
  ])('the Retry-After value %j means %j, because %s', (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected);
  });
});

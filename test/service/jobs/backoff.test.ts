import { expect, test } from 'vitest';
import { parseRetryAfter, toRetryDelayMs } from '../../../src/service/jobs/backoff.ts';
import { NOW } from '../alerts/sample.ts';

const delays: readonly [Parameters<typeof toRetryDelayMs>[0], number, string][] = [
  [{ attempts: 1, retryAfterMs: undefined, random: 0 }, 2_000, 'the first is soon'],
  [{ attempts: 4, retryAfterMs: undefined, random: 0 }, 16_000, 'it doubles'],
  [{ attempts: 50, retryAfterMs: undefined, random: 0 }, 600_000, 'it ends at ten minutes'],
  [{ attempts: 1, retryAfterMs: undefined, random: 0.5 }, 2_200, 'many do not come back together'],
  [{ attempts: 9, retryAfterMs: 500, random: 0 }, 500, 'the receiver knows better'],
  [{ attempts: 1, retryAfterMs: 9e9, random: 0 }, 3_600_000, 'nobody waits longer than an hour'],
];
test.each(delays)('after %j one waits %i ms because %s', (attempt, expected) => {
  expect(toRetryDelayMs(attempt)).toBe(expected);
});

const headers: readonly [string | undefined, number | undefined, string][] = [
  [undefined, undefined, 'it is not there'],
  ['120', 120_000, 'it is seconds'],
  ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000, 'it is a date'],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0, 'that date has passed'],
  ['soon', undefined, 'it is neither'],
  ['-1', undefined, 'it is neither'],
];
test.each(headers)('Retry-After %j means %j because %s', (text, expected) => {
  expect(parseRetryAfter(text, NOW)).toBe(expected);
});

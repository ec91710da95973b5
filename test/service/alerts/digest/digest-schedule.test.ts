// When a digest is due and what it covers: time zones, weekdays and the days on which the clocks change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDigestRange, findDueMs } from '../../../../src/service/alerts/digest/digest-schedule.ts';
import { schedule } from './sample-digest.ts';

const HOUR = 3_600_000;
const BERLIN = { timeZone: 'Europe/Berlin' } as const;
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

describe('a digest', () => {
  test.each([
    [{}, '2026-11-24T01:00', '2026-11-23T08:00', 'Monday was yesterday'],
    [{}, '2026-11-23T08:00', '2026-11-23T08:00', 'it is due at this minute'],
    [{}, '2026-11-23T07:59', '2026-11-16T08:00', 'a minute is missing'],
    [{ every: 'day' }, '2026-11-24T01:00', '2026-11-23T08:00', 'today it is not due yet'],
    [{ ...BERLIN }, '2026-11-23T07:00', '2026-11-23T07:00', 'Berlin is an hour ahead in winter'],
    [{ ...BERLIN }, '2026-07-20T06:00', '2026-07-20T06:00', 'and two in summer'],
    [{ every: 'day', at: 0, ...BERLIN }, '2026-11-23T23:30', '2026-11-23T23:00', 'midnight in Berlin'],
    [
      { every: 'day', at: 150, ...BERLIN },
      '2026-03-29T12:00',
      '2026-03-29T01:30',
      'half past two is skipped and becomes half past three',
    ],
    [
      { every: 'day', timeZone: 'Pacific/Auckland' },
      '2026-11-23T20:00',
      '2026-11-23T19:00',
      'New Zealand is thirteen hours ahead',
    ],
    [
      { weekday: 'sun', at: 30, timeZone: 'America/New_York' },
      '2026-11-23T12:00',
      '2026-11-22T05:30',
      'the weekday is that of the place',
    ],
  ] as const)('%j is due at the latest before %s at %s because %s', (over, now, due, _because) => {
    expect(iso(findDueMs(schedule(over), Date.parse(`${now}Z`)))).toBe(due);
  });

  test.each([
    [{}, '2026-11-23T08:00', 168, 'a week'],
    [{ every: 'day' }, '2026-11-23T08:00', 24, 'a day'],
    [{ every: 'day', ...BERLIN }, '2026-03-29T06:00', 23, 'the clocks went forward in the night'],
    [{ every: 'day', ...BERLIN }, '2026-10-25T07:00', 25, 'the clocks went back in the night'],
  ] as const)('%j of %s covers %i hours: %s', (over, due, hours, _because) => {
    const { fromMs, toMs } = findDigestRange(schedule(over), Date.parse(`${due}Z`));
    expect((toMs - fromMs) / HOUR).toBe(hours);
  });

  test('covers every instant exactly once, in any zone and at any time of day', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 1_439 }),
        fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 0) }),
        (timeZone, at, nowMs) => {
          const daily = schedule({ every: 'day', at, timeZone });
          const dueMs = findDueMs(daily, nowMs);
          const { fromMs, toMs } = findDigestRange(daily, dueMs);
          expect(dueMs).toBeLessThanOrEqual(nowMs);
          expect(nowMs - dueMs).toBeLessThan(26 * HOUR);
          expect(findDueMs(daily, toMs - 60_000)).toBe(fromMs);
          expect(findDueMs(daily, dueMs)).toBe(dueMs);
        },
      ),
      { numRuns: 100 },
    );
  });
});

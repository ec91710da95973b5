// Axes over the two days on which the clocks of Berlin change: what stands below a mark is what the clock on the wall showed then.
// The process's own zone is read once, so this file sets it before anything else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

process.env.TZ = 'Europe/Berlin';
const { formatDay, formatMinute } = await import('../../dashboard/src/format/format-time.ts');
const { prepareTimeTicks } = await import('../../dashboard/src/charts/prepare-time-ticks.ts');

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CLOCK_CHANGES: readonly (readonly [changeMs: number, because: string])[] = [
  [Date.UTC(2026, 2, 29, 1), 'the hour from two to three does not come'],
  [Date.UTC(2026, 9, 25, 1), 'the hour from two to three comes twice'],
];

describe.each(CLOCK_CHANGES)('time axis around %d, when %s', (changeMs) => {
  const range = fc.record({
    before: fc.integer({ min: 1, max: 10 * DAY }),
    after: fc.integer({ min: 1, max: 10 * DAY }),
    most: fc.integer({ min: 2, max: 14 }),
  });

  test('every tick label shows the local time, and later ticks show later times', () => {
    fc.assert(
      fc.property(range, ({ before, after, most }) => {
        const [fromMs, toMs] = [changeMs - before, changeMs + after];
        const ticks = prepareTimeTicks(fromMs, toMs, { zone: 'local', maxTicks: most });
        for (const [at, tick] of ticks.entries()) {
          expect(tick.atMs).toBeGreaterThanOrEqual(fromMs);
          expect(tick.atMs).toBeLessThanOrEqual(toMs);
          if (at > 0) expect(tick.atMs).toBeGreaterThan(ticks[at - 1]?.atMs ?? 0);
          const clock = formatMinute(tick.atMs, 'local');
          expect(tick.label).toBe(clock === '00:00' ? formatDay(tick.atMs, 'local') : clock);
        }
      }),
      // Half hours within the one that does not come, the last of which would stand before the first.
      { examples: [[{ before: 1, after: 30 * MINUTE, most: 2 }]] },
    );
  });

  test('the distance between ticks never exceeds the step plus one hour', () => {
    fc.assert(
      fc.property(range, ({ before, after, most }) => {
        const [fromMs, toMs] = [changeMs - before, changeMs + after];
        const ticks = prepareTimeTicks(fromMs, toMs, { zone: 'local', maxTicks: most });
        const utc = prepareTimeTicks(fromMs, toMs, { zone: 'utc', maxTicks: most });
        const gapsOf = (marks: typeof ticks) =>
          marks.slice(1).map(({ atMs }, at) => atMs - (marks[at]?.atMs ?? 0));
        const step = Math.max(0, ...gapsOf(utc));
        if (utc.length < 2) return;
        for (const gap of gapsOf(ticks)) expect(gap).toBeLessThanOrEqual(step + HOUR);
      }),
    );
  });
});

test('the day of 23 hours and the day of 25 hours begin at midnight', () => {
  const dayOf = (month: number, day: number) =>
    prepareTimeTicks(Date.UTC(2026, month, day - 1), Date.UTC(2026, month, day + 2), {
      zone: 'local',
      maxTicks: 3,
    });
  const lengths = (ticks: ReturnType<typeof dayOf>) =>
    ticks.slice(1).map(({ atMs }, at) => (atMs - (ticks[at]?.atMs ?? 0)) / HOUR);
  expect(lengths(dayOf(2, 29))).toEqual([23, 24]);
  expect(lengths(dayOf(9, 25))).toEqual([25, 24]);
});

// Times in a zone whose clocks change. The process's own zone is read once, so this file sets it before anything else.
import { expect, test } from 'vitest';

process.env.TZ = 'Europe/Berlin';
const { formatExactTime, offsetMs } = await import('../../dashboard/src/format/format-time.ts');
const { prepareTimeTicks } = await import('../../dashboard/src/charts/prepare-time-ticks.ts');

const HOUR = 3_600_000;

test.each([
  [Date.UTC(2026, 9, 24, 12), 2, 'summer time'],
  [Date.UTC(2026, 9, 25, 12), 1, 'winter time'],
])('at %d the local time is %d hours ahead because it is %s', (atMs, hours) => {
  expect(offsetMs(atMs, 'local')).toBe(hours * HOUR);
  expect(offsetMs(atMs, 'utc')).toBe(0);
});

test('a local time names its zone', () => {
  expect(formatExactTime(Date.UTC(2026, 9, 25, 12), 'local')).toBe('2026-10-25 13:00:00.000 CET');
});

test('days begin at midnight also when the clocks change, so one day has 25 hours', () => {
  const ticks = prepareTimeTicks(Date.UTC(2026, 9, 24), Date.UTC(2026, 9, 28), {
    zone: 'local',
    maxTicks: 4,
  });
  expect(ticks.map(({ label }) => label)).toEqual(['25 Oct', '26 Oct', '27 Oct', '28 Oct']);
  const gaps = ticks.slice(1).map(({ atMs }, at) => (atMs - (ticks[at]?.atMs ?? 0)) / HOUR);
  expect(gaps).toEqual([25, 24, 24]);
});

// A range that is moved, widened or held.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shiftRange, toAbsoluteRange, widenRange } from '../../dashboard/src/view/move-range.ts';
import { type View, withRange } from '../../dashboard/src/view/view.ts';
import { parseTime } from '../../src/contract/time-range.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
type Ends = readonly [from: string, to: string];

function endsOf({ from, to }: View): Ends {
  return [from, to];
}

function lengthOf({ from, to }: View): number {
  return (parseTime(to, NOW_MS) ?? 0) - (parseTime(from, NOW_MS) ?? 0);
}

describe('moved and widened ranges', () => {
  test.each<[Ends, -1 | 1, Ends, string]>([
    [['now-1h', 'now'], -1, ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'], 'an hour earlier is exact'],
    [['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'], 1, ['now-1h', 'now'], 'it reaches the present'],
    [['now-1h', 'now'], 1, ['now-1h', 'now'], 'nothing is later than now'],
    [['2026-11-21T11:20:00Z', '2026-11-21T11:50:00Z'], 1, ['now-30m', 'now'], 'it never goes beyond'],
    [['later', 'now'], -1, ['later', 'now'], 'what cannot be read is not moved'],
  ])('the range %j moved by %i is %j because %s', (ends, by, expected) => {
    const moved = shiftRange({ from: ends[0], to: ends[1] }, { by, nowMs: NOW_MS });
    expect(endsOf(moved)).toEqual(expected);
  });

  test.each<[Ends, Ends, string]>([
    [['now-24h', 'now'], ['now-2d', 'now'], 'one that ends now goes on ending now'],
    [
      ['2026-11-20T10:00:00Z', '2026-11-20T12:00:00Z'],
      ['2026-11-20T09:00:00Z', '2026-11-20T13:00:00Z'],
      'another keeps its middle',
    ],
    [['2026-11-21T11:00:00Z', '2026-11-21T11:50:00Z'], ['now-110m', 'now'], 'the present is its end'],
  ])('the range %j widened is %j because %s', (ends, expected) => {
    expect(endsOf(widenRange({ from: ends[0], to: ends[1] }, NOW_MS))).toEqual(expected);
  });

  test('a pinned range is the same range in exact times, with its filters', () => {
    expect(
      toAbsoluteRange({ from: 'now-1h', to: 'now', isAutoRange: true, client: 'cursor' }, NOW_MS),
    ).toEqual({
      from: '2026-11-21T11:00:00Z',
      to: '2026-11-21T12:00:00Z',
      client: 'cursor',
    });
  });

  test('a range moved back and forth keeps its length, and a widened one is at least twice as long', () => {
    const minutes = fc.integer({ min: 1, max: 50_000 });
    fc.assert(
      fc.property(minutes, minutes, (length, ago) => {
        const toMs = NOW_MS - ago * 60_000;
        const [from, to] = [new Date(toMs - length * 60_000), new Date(toMs)].map((at) => at.toISOString());
        const view = withRange({ from: '', to: '' }, { from: from ?? '', to: to ?? '' });
        const back = shiftRange(view, { by: -1, nowMs: NOW_MS });
        expect(lengthOf(back)).toBe(length * 60_000);
        expect(lengthOf(shiftRange(back, { by: 1, nowMs: NOW_MS }))).toBe(length * 60_000);
        expect(lengthOf(widenRange(view, NOW_MS))).toBeGreaterThanOrEqual(2 * length * 60_000);
      }),
    );
  });
});

// The ways out of an empty view, and that a version stays with its server.
import { describe, expect, test } from 'vitest';
import {
  findPresetContaining,
  prepareFilterRemovals,
  toHourAround,
} from '../../dashboard/src/view/prepare-suggestions.ts';
import { replaceView, type View, withFilter } from '../../dashboard/src/view/view.ts';

const RANGE = { from: 'now-1h', to: 'now' } as const;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;

describe('filters to remove', () => {
  test.each<[Omit<View, 'from' | 'to'>, string[], string]>([
    [{}, [], 'there is none'],
    [{ client: 'cursor' }, ['client'], 'without it there are none left'],
    [{ client: 'cursor', plan: 'p' }, ['client', 'plan', 'client+plan'], 'both may be needed'],
    [
      { server: 'notes', tool: 'move', client: 'cursor' },
      ['server+tool', 'tool', 'client', 'server+tool+client'],
      'a tool goes with its server',
    ],
    [{ server: 'notes', version: '2' }, ['server+version', 'version'], 'together they are all there are'],
  ])('for %j the suggested removals are %j because %s', (filters, expected) => {
    const found = prepareFilterRemovals({ ...RANGE, ...filters });
    expect(found.map(({ removed }) => removed.map(([name]) => name).join('+'))).toEqual(expected);
    for (const { removed, view } of found) {
      for (const [name] of removed) expect(view[name]).toBeUndefined();
      expect(view.from).toBe('now-1h');
    }
  });
});

describe('wider range', () => {
  test.each<[number, string | undefined, string]>([
    [10 * 60_000, 'now-15m', 'the shortest will do'],
    [HOUR, 'now-24h', 'an end belongs to the next'],
    [6 * 24 * HOUR, 'now-7d', 'a day is too short'],
    [31 * 24 * HOUR, undefined, 'none of the usual ones reaches it'],
  ])('the range suggested for a call %d ms ago is %s because %s', (agoMs, expected) => {
    const view = { ...RANGE, client: 'cursor' };
    expect(findPresetContaining(view, { atMs: NOW_MS - agoMs, nowMs: NOW_MS })).toEqual(
      expected && { from: expected, to: 'now', client: 'cursor' },
    );
  });

  test('the range suggested for an older call is the hour around it, in whole minutes', () => {
    expect(toHourAround(RANGE, Date.parse('2026-11-21T09:14:03.250Z'))).toEqual({
      from: '2026-11-21T08:25Z',
      to: '2026-11-21T09:25Z',
    });
  });
});

describe('version filter', () => {
  const view: View = { ...RANGE, version: '1.4.2' };

  test('the version filter stays when its server is set and is removed with the server', () => {
    const named = withFilter(view, ['server', 'notes']);
    expect(named.version).toBe('1.4.2');
    expect(withFilter(named, ['server', 'notes']).version).toBe('1.4.2');
    expect(withFilter(named, ['server', 'github']).version).toBeUndefined();
    expect(withFilter(named, ['server', undefined]).version).toBeUndefined();
  });
});

test('a view is written to an address, and its other parameters are kept', () => {
  expect(replaceView('?from=now-1h&tz=utc&tool=move&sort=-calls', { ...RANGE, client: 'cursor' })).toBe(
    'from=now-1h&client=cursor&sort=-calls',
  );
});

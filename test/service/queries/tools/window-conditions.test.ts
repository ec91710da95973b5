// How many conditions the windows of many servers make: the engine reads a statement of forty of them longer than the calls.
import { describe, expect, test } from 'vitest';
import { groupWindows, inWindows } from '../../../../src/service/queries/query/call-window.ts';

const HOUR = 3_600_000;
const NAMES = Array.from({ length: 40 }, (_, at) => `server-${at}`);
const windowsFrom = (fromMs: (at: number) => number) =>
  NAMES.map((server, at) => ({ server, fromMs: fromMs(at), toMs: 100 * HOUR }));

const CASES = [
  { name: 'the same window', fromMs: () => 0, conditions: 1, because: 'all of their calls are looked at' },
  {
    name: 'two windows',
    fromMs: (at: number) => (at === 7 ? HOUR : 0),
    conditions: 2,
    because: 'one has more calls than are looked at',
  },
  {
    name: 'windows of their own',
    fromMs: (at: number) => at * HOUR,
    conditions: 40,
    because: 'none may lose calls or get more',
  },
];

describe('conditions for forty servers', () => {
  test.each(CASES)(
    'the windows of forty servers with $name need $conditions conditions: $because',
    ({ fromMs, conditions }) => {
      const { sql, params } = inWindows(windowsFrom(fromMs), {});
      expect(sql.match(/started_at >= /g)).toHaveLength(conditions);
      expect(Object.keys(params)).toHaveLength(3 * conditions);
    },
  );

  test.each(CASES)('each of forty servers with $name is in one group, in order', ({ fromMs }) => {
    const windows = windowsFrom(fromMs);
    const ungrouped = groupWindows(windows).flatMap(({ servers, ...span }) =>
      servers.map((server) => ({ ...span, server })),
    );
    expect(ungrouped).toHaveLength(40);
    expect(ungrouped).toEqual(expect.arrayContaining(windows));
  });
});

test('without any server no call matches', () => {
  expect(inWindows([], {}).sql).toContain('0');
});

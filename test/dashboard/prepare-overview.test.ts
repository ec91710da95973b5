// The arithmetic of the overview: comparison with an earlier time, courses in tiles, and where its entries lead.
import { describe, expect, test } from 'vitest';
import {
  choosePreviousLines,
  describePreviousLines,
} from '../../dashboard/src/charts/choose-previous-lines.ts';
import { prepareCallRate } from '../../dashboard/src/charts/prepare-call-rate.ts';
import { prepareColourSlots } from '../../dashboard/src/charts/prepare-colour-slots.ts';
import { toChartCsv } from '../../dashboard/src/charts/prepare-csv.ts';
import { prepareErrorRate } from '../../dashboard/src/charts/prepare-error-rate.ts';
import type { PreparedLine } from '../../dashboard/src/charts/prepared-chart.ts';
import { formatChange, formatPreviousPeriod } from '../../dashboard/src/format/format-change.ts';
import {
  countOmittedItems,
  toAttentionListPath,
  toAttentionName,
  toAttentionPath,
} from '../../dashboard/src/pages/overview/prepare-attention.ts';
import { toChangePath } from '../../dashboard/src/pages/overview/prepare-changes.ts';
import {
  prepareSparkline,
  toElapsedTimeRate,
  toErrorRate,
} from '../../dashboard/src/pages/overview/prepare-sparkline.ts';
import * as paths from '../../dashboard/src/paths.ts';
import {
  nextCompare,
  readView,
  withCompare,
  withFilter,
  withoutFilters,
  withRange,
} from '../../dashboard/src/view/view.ts';
import type { ChangeRow } from '../../src/contract/changes.ts';
import type { AttentionItem, AttentionResponse, TrendResponse } from '../../src/contract/overview.ts';
import type { SeriesResponse } from '../../src/contract/series.ts';
import type { ToolRow } from '../../src/contract/tools.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const T0 = Date.UTC(2026, 10, 21, 10);
const VIEW = { from: 'now-24h', to: 'now' };

const tool = (name: string): ToolRow => ({
  ...{ server: 'notes', tool: name, calls: 100, callsPerMinute: 1, sessions: 1, errors: 50, errorRate: 0.5 },
  ...{ p50Ms: 1, p95Ms: 1, p99Ms: 1, lastCalledAt: '' },
});

describe('comparison period in the address', () => {
  test.each([
    ['?cmp=prev', 'prev', 'the time before'],
    ['?cmp=week', 'week', 'the same weekdays'],
    ['?cmp=year', undefined, 'nothing else is known'],
    ['', undefined, 'none unless told'],
  ])('the address %s gives the comparison %s because it is %s', (search, expected, _because) => {
    expect(readView(search).compare).toBe(expected);
  });

  test('the comparison is kept when the range or a filter changes, and is part of every link', () => {
    const view = withCompare(VIEW, 'week');
    const next = withFilter(withRange(view, { from: 'now-7d', to: 'now' }), ['server', 'notes']);
    expect(paths.toolsPath(next)).toBe('/tools?from=now-7d&server=notes&cmp=week');
    expect(readView('?from=now-7d&server=notes&cmp=week')).toEqual(next);
    expect(withoutFilters(next)).toEqual({ from: 'now-7d', to: 'now', compare: 'week' });
    expect(withCompare(view, undefined)).toEqual(VIEW);
  });

  test('one key switches through the comparison periods', () => {
    expect([nextCompare(undefined), nextCompare('prev'), nextCompare('week')]).toEqual([
      'prev',
      'week',
      undefined,
    ]);
  });
});

describe('previous period', () => {
  test.each([
    [DAY, 'prev', 'previous period', 'it ended where the range starts'],
    [7 * DAY, 'prev', 'previous period', 'also where that is a week'],
    [7 * DAY, 'week', 'a week earlier', 'the same weekdays'],
    [35 * DAY, 'week', '5 weeks earlier', 'a long range goes back by more'],
  ] as const)(
    'the period %d ms earlier by %s is called "%s", because %s',
    (shiftMs, compare, expected, _because) => {
      expect(formatPreviousPeriod(shiftMs, compare)).toBe(expected);
    },
  );

  const count = (value: number) => String(value);
  test.each([
    [[5, 3], { previousLabel: 'a week earlier' }, '+2 vs 3 a week earlier', 'the period is named'],
    [[5, null], { previousLabel: 'a week earlier' }, 'no prior data', 'there was no value'],
    [[5, 0], { previousLabel: undefined }, 'prior data expired', 'data that is not kept is not zero'],
    [[5, 3], {}, '+2 vs 3', 'the previous period is the default'],
  ] as const)('the change %j with %j is shown as %s, because %s', ([now, then], options, text, _because) => {
    expect(formatChange([now, then], { format: count, ...options })).toMatchObject({ text });
  });
});

/** Five minutes, the last of which still runs for half a minute more. */
function series(compared: boolean): SeriesResponse {
  const points = (each: number): [number, number, number][] =>
    Array.from({ length: 5 }, (_, at) => [T0 + at * MINUTE, each, each]);
  const range = { fromMs: T0, toMs: T0 + 5 * MINUTE };
  return {
    ...{ range, metric: 'calls', bucketSeconds: 60, series: [{ key: 'a', points: points(60) }] },
    ...(compared && {
      compared: {
        range: { fromMs: T0 - 5 * MINUTE, toMs: T0 },
        shiftMs: 5 * MINUTE,
        series: [
          { key: 'a', points: points(120) },
          { key: 'gone', points: points(600) },
        ],
      },
    }),
  };
}

describe('chart with a previous period', () => {
  const input = {
    slots: prepareColourSlots([tool('a')]),
    nowMs: T0 + 4.5 * MINUTE,
    previousLabel: 'a week earlier',
  };

  test('each line of the chart has a previous line in the same buckets', () => {
    const { lines } = prepareCallRate(series(true), input);
    expect(lines.map(({ key, label, previousOf }) => [key, label, previousOf])).toEqual([
      ['notes/a', 'a', undefined],
      ['notes/a earlier', 'a, a week earlier', 'notes/a'],
    ]);
    expect(lines[1]?.points.map(({ atMs }) => atMs)).toEqual(lines[0]?.points.map(({ atMs }) => atMs));
    expect(prepareCallRate(series(false), input).lines).toHaveLength(1);
  });

  test('running buckets divide by the elapsed time, and previous buckets by their whole length', () => {
    const { lines, format } = prepareCallRate(series(true), input);
    const [now = [], then = []] = lines.map(({ points }) => points.map(({ value }) => format(value)));
    expect(now.slice(-2)).toEqual(['1\u202f/s', '2\u202f/s']);
    expect(then.slice(-2)).toEqual(['2\u202f/s', '2\u202f/s']);
  });

  test('the axis covers the previous lines too, and the exported file names both periods', () => {
    const chart = prepareCallRate(series(true), input);
    expect(chart.maxValue).toBeGreaterThanOrEqual(2);
    expect(toChartCsv(chart).split('\r\n')[0]).toBe(
      'from,a callsPerMinute,a n,"a, a week earlier callsPerMinute","a, a week earlier n"',
    );
  });

  test('a previous line without failures is drawn beside a line that fails now', () => {
    const rate: SeriesResponse = {
      ...{ range: { fromMs: T0, toMs: T0 + MINUTE }, metric: 'errorRate', bucketSeconds: 60 },
      series: [{ key: 'a', points: [[T0, 0.5, 10]] }],
      compared: {
        ...{ range: { fromMs: T0 - MINUTE, toMs: T0 }, shiftMs: MINUTE },
        series: [{ key: 'a', points: [[T0, 0, 10]] }],
      },
    };
    expect(prepareErrorRate(rate, input).lines.map(({ points }) => points[0]?.value)).toEqual([0.5, 0]);
  });

  const line = (key: string, n: number, slot = 1): PreparedLine => ({
    ...{ key, label: key, slot },
    points: [{ atMs: 0, value: 1, n }],
  });
  const pairs = (keys: readonly string[]): PreparedLine[] => [
    line('rest', 9_999, 0),
    ...keys.map((key, at) => line(key, at)),
    ...keys.map((key) => ({ ...line(`${key} earlier`, 0), previousOf: key })),
  ];

  test.each<[string[], string | undefined, string[], string]>([
    [['a', 'b', 'c'], undefined, ['a', 'b', 'c'], 'a few lines have room for all'],
    [['a', 'b', 'c', 'd'], undefined, ['d'], 'many have room for the one with the most calls'],
    [['a', 'b', 'c', 'd'], 'b', ['b'], 'what is pointed at comes first'],
    [['a', 'b', 'c', 'd'], 'x', ['d'], 'what has no earlier self changes nothing'],
    [[], undefined, [], 'nothing is compared'],
  ])(
    'for %j with %s under the pointer the previous lines %j are shown, because %s',
    (keys, emphasis, expected) => {
      expect([...choosePreviousLines(pairs(keys), emphasis)]).toEqual(
        expected.map((key) => `${key} earlier`),
      );
    },
  );

  const silent = (one: PreparedLine): PreparedLine =>
    one.previousOf === undefined ? one : { ...one, points: [{ atMs: 0, value: 0, n: 0 }] };
  const labelled = (lines: PreparedLine[]): PreparedLine[] =>
    lines.map((one) => (one.previousOf ? { ...one, label: `${one.previousOf}, previous period` } : one));

  test.each<[PreparedLine[], string | undefined, string]>([
    [
      labelled(pairs(['a', 'b'])).map((one) => ({ ...one, points: [{ atMs: 0, value: 1, n: 1 }] })),
      'Dashed: previous period',
      'all are',
    ],
    [
      labelled(pairs(['a', 'b', 'c', 'd'])).map((one) =>
        one.previousOf ? { ...one, points: [{ atMs: 0, value: 1, n: 1 }] } : one,
      ),
      'Dashed: d, previous period. Hover another tool to compare.',
      'one of many is',
    ],
    [labelled(pairs(['a'])).map(silent), 'No prior data (previous period).', 'nothing was called then'],
    [[line('a', 1)], undefined, 'nothing is compared'],
  ])('the legend explains the dashed lines: case %#, %s, because %s', (lines, expected) => {
    expect(describePreviousLines(lines)).toBe(expected);
  });
});

describe('sparkline of a tile', () => {
  const trend = (calls: readonly number[], errors: readonly number[] = []): TrendResponse => ({
    ...{ range: { fromMs: T0, toMs: T0 + calls.length * MINUTE }, bucketSeconds: 60 },
    points: calls.map((n, at) => ({
      ...{
        atMs: T0 + at * MINUTE,
        calls: n,
        errors: errors[at] ?? 0,
        sessions: n,
        p95Ms: n === 0 ? null : n,
      },
    })),
  });
  const later = T0 + DAY;
  const calls = ({ calls: n }: { calls: number }) => n;

  test('a sparkline begins at zero and ends at its largest value', () => {
    expect(prepareSparkline(trend([0, 5, 10, 5]), calls, later)).toEqual({
      line: 'M12.5 23L37.5 12L62.5 1L87.5 12',
      running: '',
      runningFrom: undefined,
    });
  });

  test('a sparkline separates the running bucket and draws no future buckets', () => {
    const spark = prepareSparkline(trend([10, 10, 10, 0, 0]), calls, T0 + 2.5 * MINUTE);
    expect(spark).toEqual({ line: 'M20 1L60 1', running: 'M60 1L90 1', runningFrom: 80 });
  });

  test.each([
    [[], 'there is nothing'],
    [[0, 0, 0], 'a line at zero says nothing'],
    [[7], 'one point is no course'],
  ])('no sparkline is drawn for %j, because %s', (values) => {
    expect(prepareSparkline(trend(values), calls, later).line).toBe('');
  });

  test('a sparkline of rates has a gap where there were no calls, and a dot for a single value', () => {
    const spark = prepareSparkline(trend([10, 0, 10, 10], [5, 0, 5, 5]), toErrorRate, later);
    expect(spark.line).toBe('M12.5 1h0M62.5 1L87.5 1');
  });

  test('a sparkline of calls divides a running bucket by its elapsed time', () => {
    const answer = trend([10, 10]);
    const nowMs = T0 + 1.5 * MINUTE;
    const [whole = 0, half = 0] = answer.points.map(toElapsedTimeRate(answer, calls, nowMs));
    expect(half).toBe(2 * (whole ?? 0));
  });
});

const CHANGE: ChangeRow = {
  ...{ kind: 'version', at: '', server: 'notes', environment: '', tool: '', sentence: '' },
  ...{ isBreaking: false, before: null, after: null },
};
const CALLS = '/calls?from=now-24h&server=notes';

describe('links of changes', () => {
  test.each<[Partial<ChangeRow>, string | undefined, string]>([
    [{ kind: 'version', version: '1.4.3' }, `${CALLS}&version=1.4.3&counted=true`, 'its calls'],
    [{ kind: 'new_client', client: 'cursor' }, `${CALLS}&client=cursor&counted=true`, 'its calls'],
    [
      { kind: 'new_code', tool: 'add', code: 'X' },
      `${CALLS}&tool=add&counted=true&errors=true&code=X`,
      'the calls that failed with it',
    ],
    [
      { kind: 'new_code', tool: 'add', code: '' },
      `${CALLS}&tool=add&counted=true&errors=true&code=`,
      'those without a code, which is a filter too',
    ],
    [{ kind: 'error_shift', tool: 'add' }, `${CALLS}&tool=add&counted=true&errors=true`, 'the failed calls'],
    [{ kind: 'first_loop', tool: 'add', loop: 'l1' }, '/loops?from=now-24h&loop=l1', 'the loop'],
    [{ kind: 'definition', tool: 'add' }, '/tools/add?from=now-24h&of=notes#versions', 'the comparison'],
    [{ kind: 'latency_shift', tool: 'add' }, '/tools/add?from=now-24h&of=notes', 'the tool'],
    [{ kind: 'change_point', tool: 'add' }, '/incidents?from=now-24h&server=notes', 'the incidents'],
    [{ kind: 'annotation' }, undefined, 'nowhere: it is a mark that somebody set'],
  ])('the change %j links to %s: %s', (change, expected) => {
    expect(toChangePath({ ...CHANGE, ...change }, VIEW)).toBe(expected);
  });
});

const ITEM: AttentionItem = {
  ...{ kind: 'all_failed', server: 'notes', sessionId: 's/1', sessionSource: 'host', tool: '', client: '' },
  ...{ id: '', why: '', count: 1, lastAt: null },
};

describe('links of "Needs attention"', () => {
  test.each<[Partial<AttentionItem>, string, string]>([
    [{}, '/sessions/s%2F1?from=now-24h&of=notes', 's/1'],
    [{ kind: 'looping', id: 'l1' }, '/loops?from=now-24h&loop=l1', 's/1'],
    [{ kind: 'advice', sessionId: '', tool: 'add' }, '/tools/add?from=now-24h&of=notes', 'add'],
    [{ kind: 'advice', sessionId: '' }, '/tools?from=now-24h&server=notes&tab=advice', 'notes'],
    [
      { kind: 'missing_tool', sessionId: '', tool: 'ad' },
      '/tools?from=now-24h&server=notes&tab=unknown',
      'ad',
    ],
    [
      { kind: 'zero_calls', sessionId: '', client: 'cursor' },
      '/sessions?from=now-24h&server=notes&client=cursor&maxCalls=0',
      'cursor',
    ],
    [
      { kind: 'zero_calls', sessionId: '' },
      '/sessions?from=now-24h&server=notes&maxCalls=0',
      'an unnamed client',
    ],
  ])('the item %j links to %s as %s', (some, path, name) => {
    const item = { ...ITEM, ...some };
    expect([toAttentionPath(item, VIEW), toAttentionName(item)]).toEqual([path, name]);
  });

  test('the panel links to the whole list when there are more items than fit', () => {
    const totals: AttentionResponse['totals'] = {
      ...{ storm: 0, looping: 0, all_failed: 4, advice: 0, missing_tool: 0 },
      ...{ ended_after_error: 0, zero_calls: 0, over_thirty: 2 },
    };
    const more = countOmittedItems({ range: { fromMs: 0, toMs: 1 }, items: [ITEM], totals });
    expect(more).toEqual([
      { kind: 'all_failed', more: 3 },
      { kind: 'over_thirty', more: 2 },
    ]);
    expect(more.map(({ kind }) => toAttentionListPath(kind, VIEW))).toEqual([
      '/sessions?from=now-24h&failed=all&order=calls',
      '/sessions?from=now-24h&minCalls=31&order=calls',
    ]);
  });
});

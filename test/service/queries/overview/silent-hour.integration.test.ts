// Charts over an hour in which nothing was called: zero calls are a point, a rate and a percentile of nothing are none. With every
// filter, at every width, and each point counted again; and what the overview says beside them of loops and never-called tools.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERIES_KEYS, SERIES_METRICS, SeriesResponse } from '../../../../src/contract/series.ts';
import { SummaryResponse } from '../../../../src/contract/summary.ts';
import { NeverCalledResponse } from '../../../../src/contract/tools.ts';
import { type DatasetCall, HOUR } from '../../../support/dataset/dataset.ts';
import {
  FILTERS,
  NOW,
  type OpenDataset,
  openDataset,
  RANGES,
} from '../../../support/dataset/open-dataset.ts';
import { isCounted, isWrongCall } from '../../../support/oracle/call-order.ts';
import {
  failedCalls,
  groupBy,
  isWithin,
  matches,
  nearestRank,
  type OracleFilters,
  type OracleRange,
  sessionKey,
  timedCalls,
  toolCalls,
} from '../../../support/oracle/call-stats.ts';
import { expectPercentile, toEpochUs } from '../../../support/oracle/expect-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(15);
});

afterAll(() => dataset.stop());

type Metric = SeriesResponse['metric'];
type Point = SeriesResponse['series'][number]['points'][number];

/** Recovery and the use of results need single calls: their points are recounted in `rates.integration.test.ts`. */
const METRICS = SERIES_METRICS.filter((metric) => metric !== 'recoveryRate' && metric !== 'resultUseRate');

/** Around the silent hour, as ends of a range in hours from its start; and how wide the buckets then are. */
const WIDTHS: readonly (readonly [from: number, to: number, seconds: number])[] = [
  [-0.25, 1.25, 60],
  [-3, 4, 300],
  [-20, 12, 1_800],
  [-100, 13, 3_600],
];
const CASES = WIDTHS.flatMap(([from, to, seconds], at) =>
  FILTERS.filter((_, nth) => nth === 0 || nth % 4 === at).flatMap(([name, filters]) =>
    METRICS.map((metric, nth) => ({
      name: `${metric} by ${SERIES_KEYS[(nth + at) % 3]} of ${name} in buckets of ${seconds} s`,
      ...{ from, to, seconds, metric, filters, by: SERIES_KEYS[(nth + at) % 3] ?? 'tool' },
    })),
  ),
);

function pointOf(
  metric: Metric,
  own: readonly DatasetCall[],
  base: number,
): Point extends [number, ...infer Rest] ? Rest : never {
  if (metric === 'calls') return [own.length, own.length];
  if (metric === 'errorRate') return [base === 0 ? null : failedCalls(own).length / base, base];
  if (metric === 'correctCallRate')
    return [base === 0 ? null : 1 - own.filter(isWrongCall).length / base, base];
  return [nearestRank(own, metric === 'p50' ? 0.5 : 0.95), timedCalls(own).length];
}

function expectPoint(point: Point, expected: readonly [number | null, number], metric: Metric): void {
  const [, value, n] = point;
  expect(n).toBe(expected[1]);
  if (metric === 'p50' || metric === 'p95') expectPercentile(value, expected[0]);
  else if (expected[0] === null) expect(value).toBeNull();
  else expect(value).toBeCloseTo(expected[0], 12);
}

type Case = (typeof CASES)[number];

/** The lines of a chart by name; a tool goes with its server where there are several. */
function linesOf({ by }: Pick<Case, 'by'>, counted: readonly DatasetCall[]): Map<string, DatasetCall[]> {
  const shown = by === 'code' ? (failedCalls(counted) as DatasetCall[]) : counted;
  const several = new Set(shown.map((call) => call.server_name)).size > 1;
  return groupBy(shown, ({ error_code, server_name, tool_name }) => {
    if (by === 'code') return error_code;
    if (by === 'server') return server_name;
    return several ? `${server_name}/${tool_name}` : tool_name;
  });
}

function expectLine(points: readonly Point[], { metric, seconds, own, base }: Line): void {
  const silent = dataset.silentFromMs;
  const quiet = points.filter(([at]) => at >= silent && at + seconds * 1_000 <= silent + HOUR);
  expect(quiet.length).toBe(3_600 / seconds);
  for (const [, value, n] of quiet) expect([value, n]).toEqual([metric === 'calls' ? 0 : null, 0]);
  for (const point of points) {
    const bucket: OracleRange = { fromMs: point[0], toMs: point[0] + seconds * 1_000 };
    const mine = own.filter((call) => isWithin(call, bucket));
    expectPoint(point, pointOf(metric, mine, base.filter((call) => isWithin(call, bucket)).length), metric);
  }
}

interface Line extends Pick<Case, 'metric' | 'seconds'> {
  readonly own: readonly DatasetCall[];
  /** What a rate of the line is of. */
  readonly base: readonly DatasetCall[];
}

describe('chart with a silent hour', () => {
  test.each(sampleCases(CASES, 5))(
    'the chart of $name with a silent hour agrees with the oracle',
    async ({ from, to, filters, ...chart }) => {
      const { silentFromMs } = dataset;
      const range = { fromMs: silentFromMs + from * HOUR, toMs: Math.min(silentFromMs + to * HOUR, NOW) };
      const { metric, by, seconds } = chart;
      const answer = SeriesResponse.parse(await dataset.questions.series({ ...filters, range, metric, by }));
      expect(answer.bucketSeconds).toBe(seconds);
      const counted = toolCalls(dataset.calls, answer.range, filters) as DatasetCall[];
      const lines = linesOf(chart, counted);
      const named = answer.series.filter(({ key }) => key !== 'other');
      expect(named.length).toBe(Math.min(8, lines.size));
      for (const { key, points } of named) {
        const own = lines.get(key) ?? [];
        expect(own.length, key).toBeGreaterThan(0);
        expectLine(points, { metric, seconds, own, base: by === 'code' ? counted : own });
      }
    },
  );

  test('the chart has calls before and after the silent hour, and none in it', () => {
    const of = (from: number, to: number) =>
      toolCalls(dataset.calls, {
        fromMs: dataset.silentFromMs + from * HOUR,
        toMs: dataset.silentFromMs + to * HOUR,
      });
    expect([of(0, 1).length, of(-1, 0).length > 0, of(1, 2).length > 0]).toEqual([0, true, true]);
  });
});

test.each(sampleCases(FILTERS, 2))(
  'the tiles of a silent hour have no calls and no rates, by %s',
  async (_name, filters) => {
    const range = { fromMs: dataset.silentFromMs, toMs: dataset.silentFromMs + HOUR };
    const { totals } = SummaryResponse.parse(await dataset.questions.summary({ ...filters, range }));
    expect(totals).toMatchObject({
      calls: 0,
      sessions: 0,
      errors: 0,
      errorRate: null,
      p50Ms: null,
      p95Ms: null,
    });
  },
);

const LOOP_CASES = RANGES.flatMap((range) =>
  FILTERS.map(([name, filters]) => ({ ...range, name: `${range.name} by ${name}`, filters })),
);

/** Loops that pass the filters; a version is of the session's calls. */
function loopsOf({ server, environment, client, tool, version, plan }: OracleFilters) {
  return dataset.loops.filter(
    (loop) =>
      !loop.withdrawn &&
      loop.severity !== 'note' &&
      (server === undefined || loop.server === server) &&
      (environment === undefined || loop.environment === environment) &&
      (client === undefined || loop.client === client) &&
      (plan === undefined || loop.planId === plan) &&
      (tool === undefined || loop.tools.includes(tool)) &&
      (version === undefined ||
        dataset.calls.some(
          (call) =>
            sessionKey(call) === `${loop.server}|${loop.sessionSource}|${loop.sessionId}` &&
            call.server_version === version,
        )),
  );
}

describe('wasted calls', () => {
  test.each(sampleCases(LOOP_CASES, 5))(
    'the wasted calls in $name agree with the oracle',
    async ({ range, used, filters }) => {
      const { loops, totals } = SummaryResponse.parse(await dataset.questions.summary({ ...filters, range }));
      const own = loopsOf(filters);
      const active = own.filter(({ state }) => state === 'active');
      const begun = own.filter(
        ({ onsetUs }) => onsetUs >= used.fromMs * 1_000 && onsetUs < used.toMs * 1_000,
      );
      const wasted = begun.reduce((sum, { wastedCalls }) => sum + wastedCalls, 0);
      expect(loops).toEqual({
        activeSessions: new Set(active.map((one) => [one.server, one.sessionSource, one.sessionId].join()))
          .size,
        wastedCalls: wasted,
        wastedShare: totals.calls === 0 ? null : expect.closeTo(Math.min(1, wasted / totals.calls), 12),
      });
      const page = await dataset.questions.loops({ ...filters, range, severity: 'suspected', limit: 1_000 });
      const lying = own.filter(
        ({ onsetUs, lastUs }) => lastUs >= used.fromMs * 1_000 && onsetUs < used.toMs * 1_000,
      );
      expect(page).toMatchObject({
        total: lying.length,
        active: lying.filter(({ state }) => state === 'active').length,
        wastedCalls: lying.reduce((sum, { wastedCalls }) => sum + wastedCalls, 0),
      });
    },
  );
});

describe('never-called tools', () => {
  test.each([
    {},
    { server: 'notes' },
    { environment: 'staging' },
    { environment: 'production', server: 'files' },
    { tool: 'lonely_note' },
  ])('the never-called tools by %j agree with the oracle', async (filters: OracleFilters) => {
    const { tools } = NeverCalledResponse.parse(
      await dataset.questions.neverCalled({ ...filters, range: { fromMs: NOW - HOUR, toMs: NOW } }),
    );
    const { tool, ...around } = filters;
    const listings = dataset.listings.filter(
      (one) =>
        (around.server === undefined || one.server_name === around.server) &&
        (around.environment === undefined || one.environment === around.environment),
    );
    const calls = dataset.calls.filter((call) => matches(call, around));
    const names = groupBy(listings, (one) => `${one.server_name}/${one.tool_name}`);
    const expected = [...names].filter(([name, own]) => {
      const isListed = own.some((one) =>
        listings.every(
          (other) =>
            other.server_name !== one.server_name ||
            other.environment !== one.environment ||
            other.listedUs <= one.listedUs,
        ),
      );
      const isCalled = calls.some(
        (call) => isCounted(call) && `${call.server_name}/${call.tool_name}` === name,
      );
      return isListed && !isCalled && (tool === undefined || own[0]?.tool_name === tool);
    });
    expect(tools.map((one) => `${one.server}/${one.tool}`).sort()).toEqual(
      expected.map(([name]) => name).sort(),
    );
    for (const row of tools) {
      const own = names.get(`${row.server}/${row.tool}`) ?? [];
      const catalogues = new Set(own.map(({ catalogue_hash }) => catalogue_hash));
      const answers = calls.filter(
        (call) =>
          call.side === 'server' &&
          call.method === 'tools/list' &&
          call.server_name === row.server &&
          catalogues.has(call.catalogue_hash),
      );
      const told = own.filter(({ origin }) => origin === 'list').length;
      const newest = own.reduce((best, one) => (one.listedUs >= best.listedUs ? one : best));
      expect(row).toMatchObject({
        listings: Math.max(told, answers.length),
        sessions: new Set(answers.filter(({ session_id }) => session_id !== '').map(sessionKey)).size,
        definitionTokens: Math.ceil([...newest.definition].length / 4),
      });
      expect(toEpochUs(row.firstSeenAt)).toBe(Math.min(...own.map(({ listedUs }) => listedUs)));
      expect(toEpochUs(row.lastListedAt)).toBe(newest.listedUs);
    }
  });
});

// Every response over random calls in a real engine, compared with an oracle over the same rows in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../src/contract/queries.ts';
import { SeriesResponse } from '../../../src/contract/series.ts';
import { SessionsResponse } from '../../../src/contract/sessions.ts';
import { SummaryResponse } from '../../../src/contract/summary.ts';
import { ErrorsResponse, ServersResponse, ToolsResponse } from '../../../src/contract/tools.ts';
import { createQueries } from '../../../src/service/queries/queries.ts';
import { createSeededCalls, type SeededCall, toStoredRow } from '../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import {
  failedCalls,
  groupBy,
  isWithin,
  listSessions,
  nearestRank,
  type OracleChoices,
  type OracleRange,
  sessionKey,
  timedCalls,
  toolCalls,
} from '../../support/oracle/call-stats.ts';
import { sampleCases } from '../../support/property-runs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// The tables forget by the engine's own clock, so the fake one stands still near the real one, in the middle of a minute.
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;

let engine: TestEngine;
let queries: Queries;
const calls: SeededCall[] = [
  ...createSeededCalls({ seed: 1, count: 2_500, fromMs: NOW - 26 * HOUR, toMs: NOW }),
  ...createSeededCalls({ seed: 2, count: 1_500, fromMs: NOW - 9 * DAY, toMs: NOW }),
];

beforeAll(async () => {
  engine = await startTestEngine();
  for (const half of [calls.slice(0, 1_000), calls.slice(1_000)])
    await insertRows(engine.store, 'calls', half.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 3, droppedByProducers: 2, rejectedSpans: 1 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

const FILTERS: readonly (readonly [name: string, filters: OracleChoices])[] = [
  ['no filter', {}],
  ['server', { server: 'files' }],
  ['environment', { environment: 'staging' }],
  ['client', { client: 'cursor' }],
  ['tool', { tool: 'tool_3' }],
  ['version', { version: '1.1.0' }],
  ['plan', { plan: 'plan-5' }],
  [
    'several tools and versions',
    { tool: { only: ['tool_1', 'tool_3'], except: [] }, version: { only: ['1.0.0', '1.1.0'], except: [] } },
  ],
  [
    'all but some',
    { server: { only: ['files', 'notes'], except: [] }, client: { only: [], except: ['cursor'] } },
  ],
  [
    'all of them',
    { server: 'notes', environment: 'production', client: 'claude', tool: 'tool_0', version: '1.0.0' },
  ],
];

/** Asked, and what it must be rounded to. */
const RANGES: readonly (readonly [name: string, asked: OracleRange, used: OracleRange])[] = [
  ['the last hour', at(-HOUR, 0), toMinutes(at(-HOUR, 0))],
  [
    'ragged seconds of some hours',
    at(-7 * HOUR + 1_234, -2 * HOUR - 777),
    toMinutes(at(-7 * HOUR + 1_234, -2 * HOUR - 777)),
  ],
  ['a day', at(-DAY, 0), toMinutes(at(-DAY, 0))],
  ['a week', at(-7 * DAY, 0), toHours(at(-7 * DAY, 0))],
];

function at(from: number, to: number): OracleRange {
  return { fromMs: NOW + from, toMs: NOW + to };
}
function roundOutward({ fromMs, toMs }: OracleRange, step: number): OracleRange {
  return { fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(toMs / step) * step };
}
function toMinutes(span: OracleRange): OracleRange {
  return roundOutward(span, MINUTE);
}
function toHours(span: OracleRange): OracleRange {
  return roundOutward(span, HOUR);
}

/** 0.8 % is what the sketch promises; it only ever errs downward. */
function expectPercentile(actual: number | null, exact: number | null): void {
  if (exact === null) return void expect(actual).toBeNull();
  expect(actual).not.toBeNull();
  expect(actual).toBeLessThanOrEqual(exact * 1.000_001);
  expect(actual).toBeGreaterThanOrEqual(exact * 0.992);
}

const cases = RANGES.flatMap(([rangeName, range, used]) =>
  FILTERS.map(([filterName, filters]) => ({ name: `${rangeName}, by ${filterName}`, range, used, filters })),
);

describe('tools', () => {
  test.each(sampleCases(cases, 5))(
    'the tools table agrees with the oracle over $name',
    async ({ range, used, filters }) => {
      const answer = ToolsResponse.parse(await queries.tools({ ...filters, range }));
      expect(answer.range).toEqual(used);
      const expected = groupBy(toolCalls(calls, used, filters), (c) => `${c.server_name}/${c.tool_name}`);
      expect(answer.tools.map((row) => `${row.server}/${row.tool}`).sort()).toEqual(
        [...expected.keys()].sort(),
      );
      for (const row of answer.tools) {
        const own = expected.get(`${row.server}/${row.tool}`) ?? [];
        expect(row.calls).toBe(own.length);
        expect(row.errors).toBe(failedCalls(own).length);
        expect(row.errorRate).toBeCloseTo(failedCalls(own).length / own.length, 12);
        expect(row.callsPerMinute).toBeCloseTo(own.length / ((used.toMs - used.fromMs) / MINUTE), 12);
        expect(row.sessions).toBe(new Set(own.filter((c) => c.session_id !== '').map(sessionKey)).size);
        const last = Math.max(...own.map(({ startedUs }) => startedUs));
        expect(Date.parse(row.lastCalledAt)).toBe(Math.floor(last / 1_000_000) * 1_000);
        expectPercentile(row.p50Ms, nearestRank(own, 0.5));
        expectPercentile(row.p95Ms, nearestRank(own, 0.95));
        expectPercentile(row.p99Ms, nearestRank(own, 0.99));
      }
    },
  );

  test('the tools are sorted by calls, most first', async () => {
    const { tools } = await queries.tools({ range: at(-DAY, 0) });
    expect(tools.map((row) => row.calls)).toEqual(tools.map((row) => row.calls).sort((a, b) => b - a));
  });
});

describe('errors', () => {
  test.each(sampleCases(cases, 5))(
    'the errors table agrees with the oracle over $name',
    async ({ range, used, filters }) => {
      const answer = ErrorsResponse.parse(await queries.errors({ ...filters, range }));
      const counted = toolCalls(calls, used, filters);
      const groups = groupBy(failedCalls(counted), (c) =>
        [c.server_name, c.tool_name, c.error_code, c.outcome, c.fault].join('|'),
      );
      const actual = answer.errors.map((row) => [
        [row.server, row.tool, row.code, row.outcome, row.fault].join('|'),
        row.count,
      ]);
      expect(actual.sort()).toEqual([...groups].map(([key, own]) => [key, own.length]).sort());
      for (const row of answer.errors) {
        const own = counted.filter((c) => c.server_name === row.server && c.tool_name === row.tool);
        expect(row.share).toBeCloseTo(row.count / failedCalls(own).length, 12);
        expect(row.rate).toBeCloseTo(row.count / own.length, 12);
      }
    },
  );
});

describe('sessions', () => {
  test.each(sampleCases(cases, 5))(
    'the list of sessions agrees with the oracle over $name',
    async ({ range, used, filters }) => {
      const query = { ...filters, range, minCalls: 0, order: 'recent', limit: 1_000 } as const;
      const answer = SessionsResponse.parse(await queries.sessions(query));
      const expected = listSessions(calls, used, filters).sort((a, b) => b.endedUs - a.endedUs);
      expect(answer.total).toBe(expected.length);
      expect(answer.sessions.map((s) => `${s.server}|${s.source}|${s.sessionId}`)).toEqual(
        expected.map((s) => s.key),
      );
      expect(answer.sessions.map((s) => [s.calls, s.requests, s.errors, s.tools])).toEqual(
        expected.map((s) => [s.calls, s.requests, s.errors, s.tools]),
      );
      expect(answer.sessions.map((s) => micros(s.startedAt))).toEqual(expected.map((s) => s.startedUs));
      expect(answer.sessions.map((s) => micros(s.endedAt))).toEqual(expected.map((s) => s.endedUs));
    },
  );

  test('the sessions over thirty calls are those that the summary counts', async () => {
    const query = { range: at(-DAY, 0), minCalls: 31, order: 'calls', limit: 1_000 } as const;
    const { sessions: rows, total } = await queries.sessions(query);
    const expected = listSessions(calls, toMinutes(at(-DAY, 0))).filter((s) => s.calls > 30);
    expect(expected.length).toBeGreaterThan(3);
    expect(rows.map((s) => s.calls)).toEqual(expected.map((s) => s.calls).sort((a, b) => b - a));
    const summary = await queries.summary({ range: at(-DAY, 0) });
    expect(summary.totals.sessionsOverThirty).toBe(total);
  });
});

function micros(iso: string): number {
  return Date.parse(`${iso.slice(0, 23)}Z`) * 1_000 + Number(iso.slice(23, 26));
}

// Requirement: figures.recount
describe('summary', () => {
  test.each(sampleCases(cases, 5))(
    'the summary agrees with the oracle over $name',
    async ({ range, used, filters }) => {
      const answer = SummaryResponse.parse(await queries.summary({ ...filters, range }));
      const before = { fromMs: used.fromMs - (used.toMs - used.fromMs), toMs: used.fromMs };
      for (const [totals, span] of [
        [answer.totals, used],
        [answer.previous, before],
      ] as const) {
        const counted = toolCalls(calls, span, filters);
        const asked = listSessions(calls, span, filters);
        expect(totals.calls).toBe(counted.length);
        expect(totals.errors).toBe(failedCalls(counted).length);
        expect(totals.sessions).toBe(asked.length);
        expect(totals.sessionsOverThirty).toBe(asked.filter((s) => s.calls > 30).length);
        if (counted.length === 0) expect(totals.errorRate).toBeNull();
        else expect(totals.errorRate).toBeCloseTo(failedCalls(counted).length / counted.length, 12);
        expectPercentile(totals.p50Ms, nearestRank(counted, 0.5));
        expectPercentile(totals.p95Ms, nearestRank(counted, 0.95));
      }
    },
  );

  test('the summary reports its freshness as known to the ingest', async () => {
    const { freshness } = await queries.summary({ range: at(-HOUR, 0) });
    const last = Math.max(
      ...calls.filter((c) => c.side === 'server' && c.outcome !== 'input_required').map((c) => c.startedUs),
    );
    expect(freshness).toEqual({
      lastEventAt: new Date(Math.floor(last / 1_000_000) * 1_000).toISOString().replace('Z', '000Z'),
      serversReporting: 2,
      pendingCalls: 3,
      droppedByProducers: 2,
      rejectedSpans: 1,
    });
  });
});

const seriesNames = {
  tool: (c: SeededCall) => `${c.server_name}/${c.tool_name}`,
  server: (c: SeededCall) => c.server_name,
  code: (c: SeededCall) => c.error_code,
};

type Points = SeriesResponse['series'][number]['points'];
interface Line {
  readonly metric: SeriesResponse['metric'];
  /** Calls of the line, and the calls that its rate is of. */
  readonly own: readonly SeededCall[];
  readonly all: readonly SeededCall[];
  readonly width: number;
}

/** Every bucket is there, and all calls of the line are in one of them. */
function expectPoints(points: Points, { metric, own, all, width }: Line): void {
  expect(points.length).toBeGreaterThanOrEqual(30);
  expect(points.length).toBeLessThanOrEqual(120);
  let seen = 0;
  points.forEach(([start, value, n], at) => {
    expect(start).toBe(points[0]![0] + at * width * 1_000);
    const bucket = { fromMs: start, toMs: start + width * 1_000 };
    const mine = own.filter((c) => isWithin(c, bucket));
    seen += mine.length;
    expectPoint([value, n], { metric, mine, base: all.filter((c) => isWithin(c, bucket)).length });
  });
  expect(seen).toBe(own.length);
}

function expectPoint(
  [value, n]: readonly [number | null, number],
  { metric, mine, base }: { metric: Line['metric']; mine: SeededCall[]; base: number },
): void {
  if (metric === 'calls') expect([value, n]).toEqual([mine.length, mine.length]);
  else if (metric === 'errorRate') {
    expect(n).toBe(base);
    expect(value).toEqual(base === 0 ? null : expect.closeTo(failedCalls(mine).length / base, 12));
  } else {
    expect(n).toBe(timedCalls(mine).length);
    expectPercentile(value, nearestRank(mine, metric === 'p50' ? 0.5 : 0.95));
  }
}

describe('series', () => {
  const charts = RANGES.flatMap(([name, range, used]) =>
    (['tool', 'server', 'code'] as const).flatMap((by) =>
      (['calls', 'errorRate', 'p50', 'p95'] as const).map((metric) => ({ name, range, used, by, metric })),
    ),
  );

  test.each(sampleCases(charts, 5))(
    'the series of $metric by $by agrees with the oracle over $name',
    async ({ range, used, by, metric }) => {
      const answer = SeriesResponse.parse(await queries.series({ range, metric, by }));
      const counted = toolCalls(calls, used);
      const lines = groupBy(by === 'code' ? failedCalls(counted) : counted, seriesNames[by]);
      const weigh = (own: SeededCall[]) => (metric === 'errorRate' ? failedCalls(own) : own).length;
      const ranked = [...lines.values()].map(weigh).sort((a, b) => b - a);
      const named = answer.series.filter(({ key }) => key !== 'other');
      expect(named.length).toBe(Math.min(8, lines.size));
      for (const { key, points } of named) {
        const own = lines.get(key) ?? [];
        lines.delete(key);
        expect(weigh(own)).toBeGreaterThanOrEqual(ranked[7] ?? 0);
        expectPoints(points, {
          metric,
          own,
          all: by === 'code' ? counted : own,
          width: answer.bucketSeconds,
        });
      }
      const rest = answer.series.find(({ key }) => key === 'other');
      const left = [...lines.values()].flat();
      expect(rest !== undefined).toBe(metric === 'calls' && left.length > 0);
      if (rest) expectPoints(rest.points, { metric, own: left, all: left, width: answer.bucketSeconds });
    },
  );

  test('a series names its tool without the server when there is only one server', async () => {
    const { series } = await queries.series({
      range: at(-DAY, 0),
      metric: 'calls',
      by: 'tool',
      server: 'notes',
    });
    expect(series.map(({ key }) => key)).toContain('tool_0');
    expect(series.every(({ key }) => !key.includes('/'))).toBe(true);
  });

  test('the calls of the series add up to the calls of the tools table', async () => {
    for (const [, range] of RANGES) {
      const { series } = await queries.series({ range, metric: 'calls', by: 'tool' });
      const { tools } = await queries.tools({ range });
      const sum = series.flatMap(({ points }) => points).reduce((total, [, , n]) => total + n, 0);
      expect(sum).toBe(tools.reduce((total, row) => total + row.calls, 0));
    }
  });
});

describe('servers', () => {
  test('the list of servers has every value that a filter can have, except the empty one', async () => {
    const { servers } = ServersResponse.parse(await queries.servers({ range: at(-MINUTE, 0) }));
    const requests = calls.filter((c) => c.side === 'server' && c.outcome !== 'input_required');
    const names = (own: readonly SeededCall[], of: (c: SeededCall) => string) =>
      [...new Set(own.map(of))].filter((name) => name !== '').sort();
    expect(servers.map(({ server }) => server)).toEqual(['files', 'notes']);
    for (const server of servers) {
      const own = requests.filter((c) => c.server_name === server.server);
      expect(server.environments).toEqual(names(own, (c) => c.environment));
      expect(server.versions).toEqual(names(own, (c) => c.server_version));
      expect(server.clients).toEqual(names(own, (c) => c.client_name));
      expect(server.tools).toEqual(names(own, (c) => c.tool_name));
    }
  });
});

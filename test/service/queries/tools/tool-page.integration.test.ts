// Every number of a tool's page against the same rows in memory: over minutes and hours, with each filter, over ranges that cut
// sessions, for tools that were changed, taken away and made up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolResponse } from '../../../../src/contract/tool.ts';
import { ToolResponse as Answer } from '../../../../src/contract/tool.ts';
import { ToolLatencyResponse, ToolSeriesResponse } from '../../../../src/contract/tool-series.ts';
import { type DatasetCall, HOUR } from '../../../support/dataset/dataset.ts';
import {
  type DatasetRange,
  NOW,
  type OpenDataset,
  openDataset,
  RANGES,
} from '../../../support/dataset/open-dataset.ts';
import {
  countNextSteps,
  findConfusions,
  findNeighbours,
  followErrors,
  isCounted,
  isInLoop,
  type OrderInput,
  type ToolTransition,
} from '../../../support/oracle/call-order.ts';
import {
  failedCalls,
  groupBy,
  nearestRank,
  type OracleFilters,
  sessionKey,
  timedCalls,
  toolCalls,
} from '../../../support/oracle/call-stats.ts';
import {
  expectedProportion,
  expectPercentile,
  expectResultTokens,
  toEpochUs,
} from '../../../support/oracle/expect-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(6);
});

afterAll(() => dataset.stop());

interface Case extends DatasetRange {
  readonly server: string;
  readonly tool: string;
  readonly filters: OracleFilters;
}

const NAMES = [
  'notes/search_notes',
  'files/read_file',
  'notes/old_tool',
  'notes/serach_notes',
  'silent/ping',
];
const FILTERS: readonly OracleFilters[] = [
  { environment: 'staging' },
  { client: 'claude' },
  { version: '1.10.0' },
  { plan: 'plan-9' },
  { environment: 'production', client: 'cursor', version: '1.9.0' },
];

function toCase(range: DatasetRange, name: string, filters: OracleFilters = {}): Case {
  const [server = '', tool = ''] = name.split('/');
  return {
    ...range,
    server,
    tool,
    filters,
    name: `${name} over ${range.name} by ${JSON.stringify(filters)}`,
  };
}

const CASES = RANGES.flatMap((range, at) => [
  ...NAMES.filter((_, nth) => nth < 2 || nth % 2 === at % 2).map((name) => toCase(range, name)),
  ...FILTERS.filter((_, nth) => nth % 2 === at % 2).map((filters) => toCase(range, NAMES[0] ?? '', filters)),
]);

const callsOfTool = ({ used, filters, server, tool }: Case): DatasetCall[] =>
  toolCalls(dataset.calls, used, { ...filters, server, tool }) as DatasetCall[];
const toOrderInput = ({ used, filters, server, tool }: Case): OrderInput => ({
  calls: dataset.calls,
  span: used,
  filters: { ...filters, server, tool },
  nowMs: NOW,
});

const responses = new Map<string, Promise<ToolResponse>>();
function getTool({ name, tool, server, range, filters }: Case): Promise<ToolResponse> {
  const response =
    responses.get(name) ??
    dataset.questions.tool({ id: tool, ...filters, server, range }).then((answer) => Answer.parse(answer));
  responses.set(name, response);
  return response;
}

const sessionsOf = (calls: readonly DatasetCall[]): number =>
  new Set(calls.filter(({ session_id }) => session_id !== '').map(sessionKey)).size;
const triesOf = (calls: readonly DatasetCall[]): number | null => {
  const ok = calls.filter(({ outcome }) => outcome === 'ok').length;
  return ok === 0 ? null : calls.length / ok;
};
const namesIn = (calls: readonly DatasetCall[], of: (call: DatasetCall) => string): string[] =>
  [...new Set(calls.map(of))].filter((name) => name !== '').sort();

test.each(sampleCases(CASES, 4))('the head of the page of $name agrees with the oracle', async (asked) => {
  const answer = await getTool(asked);
  const calls = callsOfTool(asked);
  expect(answer).toMatchObject({
    range: asked.used,
    calls: calls.length,
    sessions: sessionsOf(calls),
    errorRate: expectedProportion(failedCalls(calls).length, calls.length),
    triesPerSuccess: triesOf(calls),
    next: countNextSteps(followErrors(toOrderInput(asked))),
    loopShare: expectedProportion(calls.filter((call) => isInLoop(call, dataset.loops)).length, calls.length),
  });
  expectPercentile(answer.p50Ms, nearestRank(calls, 0.5));
  expectPercentile(answer.p95Ms, nearestRank(calls, 0.95));
  expectResultTokens(answer.resultTokensP95, calls);
  const { server, filters } = asked;
  const { environment } = filters;
  const around = toolCalls(dataset.calls, asked.used, { server, ...(environment && { environment }) });
  expect(answer.sequence).toEqual({ fromMs: asked.used.fromMs, calls: around.length, isWhole: true });
});

interface RankedTool {
  readonly tool: string;
  readonly count: number;
  readonly sessions?: number;
  readonly endedInFailure?: object;
}

/** The first entry of a list may be any of the equally frequent ones. */
function expectRanked(actual: readonly RankedTool[], pairs: readonly ToolTransition[]): void {
  const groups = groupBy(pairs, ({ other }) => other);
  const counts = [...groups.values()].map(({ length }) => length).sort((a, b) => b - a);
  expect(actual.map(({ count }) => count)).toEqual(counts.slice(0, 20));
  for (const { tool, count, sessions, endedInFailure } of actual) {
    const mine = groups.get(tool) ?? [];
    expect([tool, count]).toEqual([tool, mine.length]);
    if (sessions !== undefined) expect(sessions).toBe(new Set(mine.map(({ session }) => session)).size);
    const ended = mine.filter(({ hasFailed }) => hasFailed).length;
    if (endedInFailure !== undefined) expect(endedInFailure).toEqual(expectedProportion(ended, mine.length));
  }
}

test.each(sampleCases(CASES, 4))('the neighbours of $name agree with the oracle', async (asked) => {
  const { before, after, confusedWith } = await getTool(asked);
  expectRanked(before, findNeighbours(toOrderInput(asked), 'before'));
  expectRanked(after, findNeighbours(toOrderInput(asked), 'after'));
  expectRanked(
    confusedWith.map(({ tool, calls, sessions }) => ({ tool, count: calls, sessions })),
    findConfusions(toOrderInput(asked)),
  );
});

const SIZES = [0, 1_000, 10_000, 100_000, 1_000_000, Number.POSITIVE_INFINITY];

test.each(sampleCases(CASES, 4))(
  'the latency of $name by client and size agrees with the oracle',
  async (asked) => {
    const { byClient, bySize } = await getTool(asked);
    const clients = groupBy(callsOfTool(asked), ({ client_name }) => client_name) as Map<
      string,
      DatasetCall[]
    >;
    expect(byClient.map(({ client }) => client).sort()).toEqual([...clients.keys()].sort());
    for (const row of byClient) {
      const calls = clients.get(row.client) ?? [];
      expect(row).toMatchObject({
        calls: calls.length,
        errorRate: expectedProportion(failedCalls(calls).length, calls.length),
      });
      expectPercentile(row.p50Ms, nearestRank(calls, 0.5));
      expectPercentile(row.p95Ms, nearestRank(calls, 0.95));
    }
    const sizes = SIZES.slice(0, -1).flatMap((from, at) => {
      const to = SIZES[at + 1] ?? 0;
      const calls = callsOfTool(asked).filter(
        ({ result_bytes }) => result_bytes >= from && result_bytes < to,
      );
      return calls.length === 0 ? [] : [{ from, to, calls }];
    });
    expect(bySize.map(({ fromBytes, toBytes, calls }) => [fromBytes, toBytes, calls])).toEqual(
      sizes.map(({ from, to, calls }) => [from, Number.isFinite(to) ? to : null, calls.length]),
    );
    for (const [at, row] of bySize.entries()) {
      expectPercentile(row.p50Ms, nearestRank(sizes[at]?.calls ?? [], 0.5));
      expectPercentile(row.p95Ms, nearestRank(sizes[at]?.calls ?? [], 0.95));
    }
  },
);

const groupOf = ({ outcome, error_code, error_message, error_argument }: DatasetCall): string =>
  JSON.stringify([outcome, error_code, error_message, error_argument]);

test.each(sampleCases(CASES, 2))('the charts of $name agree with the oracle', async (asked) => {
  const { tool: id, server, range, filters } = asked;
  const query = { id, ...filters, server, range };
  const [series, latency] = await Promise.all([
    dataset.questions.toolSeries(query).then((answer) => ToolSeriesResponse.parse(answer)),
    dataset.questions.toolLatency(query).then((answer) => ToolLatencyResponse.parse(answer)),
  ]);
  const bucketMs = series.bucketSeconds * 1_000;
  const startOf = (call: DatasetCall): number => Math.floor(call.startedUs / 1_000 / bucketMs) * bucketMs;
  const buckets = groupBy(callsOfTool(asked), (call) => String(startOf(call)));
  expect(series.points.map(({ atMs }) => atMs)).toEqual(
    [...buckets.keys()].map(Number).sort((a, b) => a - b),
  );
  for (const { atMs, calls, errors, timed, p50Ms, p95Ms, p99Ms } of series.points) {
    const own = (buckets.get(String(atMs)) ?? []) as DatasetCall[];
    expect([calls, errors, timed]).toEqual([own.length, failedCalls(own).length, timedCalls(own).length]);
    for (const [actual, level] of [
      [p50Ms, 0.5],
      [p95Ms, 0.95],
      [p99Ms, 0.99],
    ] as const)
      expectPercentile(actual, nearestRank(own, level));
  }
  const failed = failedCalls(callsOfTool(asked)) as DatasetCall[];
  const countsByCode = (calls: readonly DatasetCall[]) =>
    [...groupBy([...calls], (call) => String(startOf(call)))]
      .map(([start, own]) => [Number(start), own.length])
      .sort(([one = 0], [other = 0]) => one - other);
  const named = new Set(series.codes.filter(({ isRest }) => !isRest).map(({ code }) => code));
  for (const { code, isRest, errors, points } of series.codes) {
    const own = failed.filter(({ error_code }) => (isRest ? !named.has(error_code) : error_code === code));
    expect([errors, points]).toEqual([own.length, countsByCode(own)]);
  }
  expect(series.codes.reduce((sum, { errors }) => sum + errors, 0)).toBe(failed.length);
  const kept = (timedCalls(callsOfTool(asked)) as DatasetCall[]).filter(
    ({ startedUs }) => startedUs >= latency.range.fromMs * 1_000,
  );
  const cellMs = latency.bucketSeconds * 1_000;
  const cells = groupBy(kept, ({ startedUs, duration_us }) =>
    JSON.stringify([
      Math.floor(startedUs / 1_000 / cellMs) * cellMs,
      Math.floor(Math.log2(Math.max(duration_us, 1) / 1_000)),
    ]),
  );
  expect(latency.cells.map(([atMs, exponent, n]) => [JSON.stringify([atMs, exponent]), n]).sort()).toEqual(
    [...cells].map(([key, own]) => [key, own.length]).sort(),
  );
});

describe('failure groups', () => {
  test.each(sampleCases(CASES, 4))('the failure groups of $name agree with the oracle', async (asked) => {
    const { failures } = await getTool(asked);
    const errors = failedCalls(callsOfTool(asked)) as DatasetCall[];
    const groups = groupBy(errors, groupOf);
    const followed = groupBy(followErrors(toOrderInput(asked)), ({ call }) => groupOf(call));
    expect(failures.length).toBe(groups.size);
    for (const group of failures) {
      const key = JSON.stringify([group.outcome, group.code, group.template, group.argument]);
      const mine = groups.get(key) ?? [];
      const { server, tool, filters } = asked;
      const ever = dataset.calls.filter(
        (call) =>
          isCounted(call) &&
          groupOf(call) === key &&
          call.server_name === server &&
          call.tool_name === tool &&
          (filters.environment === undefined || call.environment === filters.environment),
      );
      const firstUs = Math.min(...ever.map(({ startedUs }) => startedUs));
      expect(group, key).toMatchObject({
        count: mine.length,
        share: mine.length / errors.length,
        sessions: sessionsOf(mine),
        clients: namesIn(mine, ({ client_name }) => client_name),
        versions: namesIn(mine, ({ server_version }) => server_version),
        isNew: firstUs >= asked.used.fromMs * 1_000,
        next: countNextSteps(followed.get(key) ?? []),
      });
      expect(toEpochUs(group.firstSeenAt)).toBe(firstUs);
      expect(toEpochUs(group.lastSeenAt)).toBe(Math.max(...mine.map(({ startedUs }) => startedUs)));
      const newest = [...mine].sort(
        (a, b) => b.startedUs - a.startedUs || (a.trace_id < b.trace_id ? 1 : -1),
      );
      expect(group.samples.map(({ spanId }) => spanId)).toEqual(
        newest.slice(0, 5).map(({ span_id }) => span_id),
      );
      const changed = groupBy(
        (followed.get(key) ?? []).flatMap((one) => one.changed),
        (name) => name,
      );
      expect(new Map(group.changedArguments.map(({ argument, count }) => [argument, count]))).toEqual(
        new Map([...changed].map(([name, times]) => [name, times.length])),
      );
    }
  });
});

describe('versions', () => {
  test.each(sampleCases(CASES, 4))('the versions of $name agree with the oracle', async (asked) => {
    const { versions } = await getTool(asked);
    const { server, tool, filters } = asked;
    const inScope = dataset.listings.filter(
      (one) =>
        one.server_name === server &&
        (filters.environment === undefined || one.environment === filters.environment),
    );
    const definitions = groupBy(
      inScope.filter(({ tool_name }) => tool_name === tool),
      ({ definition }) => definition,
    );
    expect(versions.length).toBe(definitions.size);
    for (const version of versions) {
      const mine = definitions.get(JSON.stringify(version.definition)) ?? [];
      const catalogues = new Set(
        dataset.listings
          .filter((one) => one.server_name === server && one.definition === mine[0]?.definition)
          .map(({ catalogue_hash }) => catalogue_hash),
      );
      const met = callsOfTool(asked).filter(({ catalogue_hash }) => catalogues.has(catalogue_hash));
      const isNewest = mine.some((one) =>
        inScope.every((other) => other.environment !== one.environment || other.listedUs <= one.listedUs),
      );
      expect(version).toMatchObject({
        definitionHash: BigInt(mine[0]?.definition_hash ?? 0)
          .toString(16)
          .padStart(16, '0'),
        definitionTokens: Math.ceil([...(mine[0]?.definition ?? '')].length / 4),
        listings: mine.filter(({ origin }) => origin === 'list').length,
        serverVersions: [...new Set(mine.map(({ server_version }) => server_version))].sort(),
        isCurrent: isNewest,
        isInUse: isNewest,
        calls: met.length,
        sessions: sessionsOf(met),
        errorRate: expectedProportion(failedCalls(met).length, met.length),
        triesPerSuccess: triesOf(met),
      });
      expect(toEpochUs(version.firstSeenAt)).toBe(Math.min(...mine.map(({ listedUs }) => listedUs)));
      expect(toEpochUs(version.lastSeenAt)).toBe(Math.max(...mine.map(({ listedUs }) => listedUs)));
    }
  });
});

test('a session cut by the range counts with its calls of the range, and is excluded from next steps', async () => {
  const [asked] = CASES;
  if (!asked) throw new Error('no case');
  const runs = groupBy(dataset.calls.filter(isCounted), sessionKey) as Map<string, DatasetCall[]>;
  const fromUs = asked.used.fromMs * 1_000;
  const cut = [...runs.values()].filter(
    (run) =>
      run.some(({ startedUs }) => startedUs < fromUs) && run.some(({ startedUs }) => startedUs >= fromUs),
  );
  expect(cut.length).toBeGreaterThan(0);
  expect(HOUR * 3).toBeLessThanOrEqual(asked.used.toMs - asked.used.fromMs);
});

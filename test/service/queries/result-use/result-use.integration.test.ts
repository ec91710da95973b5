// Result use, compared with a recount over the same rows in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { ResultUseResponse } from '../../../../src/contract/result-use.ts';
import {
  ARGUMENT_ORIGIN_KINDS,
  type ArgumentOrigin,
  formatArgumentOrigins,
  RESULT_USES,
} from '../../../../src/core/model/argument-origin.ts';
import { readMetricRows } from '../../../../src/service/queries/overview/metric-rows.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createCallRandom,
  createSeededCalls,
  type SeededCall,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { type OracleFilters, sessionKey, toolCalls } from '../../../support/oracle/call-stats.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;
const range = { fromMs: NOW - 24 * HOUR, toMs: NOW };
const USED = { fromMs: Math.floor(range.fromMs / MINUTE) * MINUTE, toMs: Math.ceil(NOW / MINUTE) * MINUTE };

interface FlowCall extends SeededCall {
  readonly origins: readonly ArgumentOrigin[];
  readonly fields: readonly string[];
  readonly sources: readonly string[];
}

const random = createCallRandom(11);
const pick = <T>(values: readonly [T, ...T[]]): T =>
  values[Math.floor(random() * values.length)] ?? values[0];

function createOrigin(): ArgumentOrigin {
  const path = pick(['user_id', 'id', 'filter.owner "id"']);
  const kind = pick(ARGUMENT_ORIGIN_KINDS);
  if (kind !== 'result' && kind !== 'part') return { path, kind };
  const use = pick(RESULT_USES);
  return {
    path,
    kind,
    source: { tool: pick(['tool_0', 'tool_1', 'tool "x",']), path: pick(['items[].id', 'first']), use },
  };
}

/** Ids of calls of the dataset in the order of the sources; some texts are cut, as a sender may leave them. */
function addSources(call: FlowCall): FlowCall {
  const ids = call.origins.flatMap(({ source }) => (source === undefined ? [] : [pick(SPAN_IDS)]));
  return { ...call, sources: random() < 0.05 ? ids.slice(1) : ids };
}

/** A third of the calls has no origin, and a third no field. */
function addFlow(call: SeededCall): FlowCall {
  const origins = random() < 0.35 ? [] : Array.from({ length: 1 + Math.floor(random() * 3) }, createOrigin);
  const fields =
    random() < 0.35 ? [] : pick([['items[].id'], ['items[].id', 'items[].name', 'text'], ['rare."field"']]);
  return { ...call, origins, fields, sources: [] };
}

const unlinked = createSeededCalls({ seed: 41, count: 2_000, fromMs: NOW - 24 * HOUR, toMs: NOW }).map(
  addFlow,
);
const SPAN_IDS = unlinked.map(({ span_id }) => span_id) as [string, ...string[]];
const calls = unlinked.map(addSources);

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  const rows = calls.map(({ origins, fields, sources, ...call }) => ({
    ...toStoredRow(call),
    argument_origins: formatArgumentOrigins(origins),
    argument_sources: sources.join(','),
    result_fields: fields.length === 0 ? '' : JSON.stringify(fields),
  }));
  await insertRows(engine.store, 'calls', rows);
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const isSourced = ({ kind }: ArgumentOrigin) => kind === 'result' || kind === 'part';
const shareOf = (hits: number, n: number) => expect.objectContaining({ n, value: n === 0 ? null : hits / n });

/** The results that some call of these is the first to use. */
const listUsed = (own: readonly FlowCall[]): Set<string> =>
  new Set(
    own.flatMap(({ server_name, origins, sources }) =>
      origins
        .flatMap(({ source }) => source ?? [])
        .flatMap(({ use }, at) =>
          use === 'first' || use === 'first_page' ? [`${server_name} ${sources[at]}`] : [],
        ),
    ),
  );
const nameOf = ({ server_name, span_id }: FlowCall) => `${server_name} ${span_id}`;

interface Use {
  readonly call: FlowCall;
  readonly origin: ArgumentOrigin;
}

const usesOf = (own: readonly FlowCall[]): Use[] =>
  own.flatMap((call) => call.origins.map((origin) => ({ call, origin })));
const failed = (uses: readonly Use[]) => uses.filter(({ call }) => call.fault !== 'none').length;

function toolOf(own: readonly FlowCall[], used: ReadonlySet<string>, [server, tool]: readonly string[]) {
  const results = own.filter(
    (call) => call.server_name === server && call.tool_name === tool && call.fields.length > 0,
  );
  const pages = results.filter(({ origins }) => origins.some(({ kind }) => kind === 'page'));
  const isUsed = (call: FlowCall) => used.has(nameOf(call));
  return {
    used: shareOf(results.filter(isUsed).length, results.length),
    usedPages: shareOf(pages.filter(isUsed).length, pages.length),
  };
}

describe('result use', () => {
  test.each<[string, OracleFilters]>([
    ['in all calls', {}],
    ['on one server', { server: 'files' }],
    ['of one client', { client: 'cursor' }],
  ])('%s agrees with the recount', async (_name, filters) => {
    const answer = ResultUseResponse.parse(await queries.resultUse({ range, ...filters }));
    const own = toolCalls(calls, USED, filters) as FlowCall[];
    const uses = usesOf(own);
    expect(answer.window.isWhole).toBe(true);
    expect(answer.tools.length).toBeGreaterThan(0);
    // A call of another client may be the one that uses a result.
    const { client: _, ...scope } = filters;
    const used = listUsed(toolCalls(calls, USED, scope) as FlowCall[]);
    for (const { server, tool, ...shares } of answer.tools)
      expect(shares).toEqual(toolOf(own, used, [server, tool]));

    expect(answer.edges.length).toBeGreaterThan(0);
    for (const { calls: n, partialCalls, errors, ...edge } of answer.edges) {
      const like = uses.filter(
        ({ call, origin: { path, source } }) =>
          call.server_name === edge.server &&
          call.tool_name === edge.tool &&
          path === edge.path &&
          source?.tool === edge.sourceTool &&
          source.path === edge.sourcePath,
      );
      expect([n, partialCalls, errors]).toEqual([
        like.length,
        like.filter(({ origin }) => origin.kind === 'part').length,
        failed(like),
      ]);
    }
    for (const row of answer.unsourcedArguments) {
      const like = uses.filter(
        ({ call, origin }) =>
          call.server_name === row.server &&
          call.tool_name === row.tool &&
          origin.path === row.path &&
          origin.kind !== 'page',
      );
      const nowhere = like.filter(({ origin }) => origin.kind === 'nowhere');
      const sourced = like.filter(({ origin }) => isSourced(origin));
      expect(row.unsourced).toEqual(shareOf(nowhere.length, like.length));
      expect(row.errorRate).toEqual(shareOf(failed(nowhere), nowhere.length));
      expect(row.sourcedErrorRate).toEqual(shareOf(failed(sourced), sourced.length));
    }
    const sum = (of: (point: (typeof answer.points)[number]) => number) =>
      answer.points.reduce((total, point) => total + of(point), 0);
    expect(sum(({ results }) => results)).toBe(own.filter(({ fields }) => fields.length > 0).length);
    for (const { atMs, ...point } of answer.points) {
      const endUs = (atMs + answer.bucketSeconds * 1_000) * 1_000;
      const within = own.filter(({ startedUs }) => startedUs >= atMs * 1_000 && startedUs < endUs);
      const results = within.filter(({ fields }) => fields.length > 0);
      expect(point).toEqual({
        results: results.length,
        used: results.filter((call) => used.has(nameOf(call))).length,
      });
    }
    expect(answer.used).toEqual(
      shareOf(
        sum((point) => point.used),
        sum(({ results }) => results),
      ),
    );
  });

  test('rows for alert rules have the results of a minute and the first uses in it', async () => {
    const rows = await readMetricRows(
      {
        ...{ fromMs: USED.fromMs, toMs: USED.toMs, bucketMs: MINUTE, labels: new Set(['server'] as const) },
        ...{
          hasDurations: false,
          hasGuard: false,
          hasWastedCalls: false,
          hasResultUse: true,
          hasRecovery: false,
        },
      },
      engine,
    );
    const own = toolCalls(calls, USED, {}) as FlowCall[];
    const total = (of: (row: (typeof rows)[number]) => number) => rows.reduce((sum, row) => sum + of(row), 0);
    expect(total(({ results }) => results)).toBe(own.filter(({ fields }) => fields.length > 0).length);
    const uses = usesOf(own).filter(({ origin: { source } }) =>
      ['first', 'first_page'].includes(source?.use ?? ''),
    );
    expect(total(({ usedResults }) => usedResults)).toBe(uses.length);
    expect(uses.length).toBeGreaterThan(0);
  });

  test('a field that many results offered and no call took is unused, with its results and sessions', async () => {
    const { unusedFields } = await queries.resultUse({ range });
    expect(unusedFields.length).toBeGreaterThan(0);
    const own = toolCalls(calls, USED, {}) as FlowCall[];
    for (const { server, tool, path, results, sessions } of unusedFields) {
      const like = own.filter(
        (call) => call.server_name === server && call.tool_name === tool && call.fields.includes(path),
      );
      const taken = usesOf(own).some(
        ({ call, origin: { source } }) =>
          call.server_name === server && source?.tool === tool && source.path === path,
      );
      expect([taken, path === 'text', results >= 20, sessions >= 3]).toEqual([false, false, true, true]);
      expect([results, sessions]).toEqual([like.length, new Set(like.map(sessionKey)).size]);
    }
  });

  test('a call of the list says where its arguments came from', async () => {
    const { calls: listed } = await queries.calls({ range, counted: 'true', limit: 1_000 });
    const bySpan = new Map(calls.map((call) => [call.span_id, call]));
    for (const { spanId, argumentOrigins } of listed)
      expect(argumentOrigins.map(({ path, kind, sourcePath }) => [path, kind, sourcePath])).toEqual(
        bySpan.get(spanId)?.origins.map(({ path, kind, source }) => [path, kind, source?.path ?? '']),
      );
  });
});

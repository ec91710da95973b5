// Where figures go wrong: an empty store, an empty range, too many names, hostile filters, and what is no longer kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallsResponse } from '../../../src/contract/calls.ts';
import type { Queries } from '../../../src/contract/queries.ts';
import { SeriesResponse } from '../../../src/contract/series.ts';
import { SummaryResponse } from '../../../src/contract/summary.ts';
import { ErrorsResponse, ToolsResponse } from '../../../src/contract/tools.ts';
import { createQueries } from '../../../src/service/queries/queries.ts';
import { createSeededCall, type SeededCall, toStoredRow } from '../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { sampleCases } from '../../support/property-runs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000 + 23_456;
const LAST_HOUR = { fromMs: NOW - HOUR, toMs: NOW };

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

const store = (...calls: SeededCall[]) => insertRows(engine.store, 'calls', calls.map(toStoredRow));

/** Runs first, before anything is stored: the order of tests in a file is their order in it. */
describe('empty store', () => {
  test('the summary of an empty store says that nothing has been received', async () => {
    const answer = SummaryResponse.parse(await queries.summary({ range: LAST_HOUR }));
    expect(answer).toMatchObject({
      verdict: 'no_data',
      sentence: 'No data. Nothing has been received yet.',
      totals: {
        calls: 0,
        sessions: 0,
        errors: 0,
        errorRate: null,
        p50Ms: null,
        p95Ms: null,
        neverCalledTools: 0,
      },
      freshness: { lastEventAt: null, serversReporting: 0 },
    });
    expect(answer.previous).toEqual(answer.totals);
  });

  test('the lists of an empty store are empty, and its charts have no lines', async () => {
    const list = { range: LAST_HOUR, limit: 10 };
    expect((await queries.servers({ range: LAST_HOUR })).servers).toEqual([]);
    expect((await queries.tools({ range: LAST_HOUR })).tools).toEqual([]);
    expect((await queries.errors({ range: LAST_HOUR })).errors).toEqual([]);
    expect((await queries.series({ range: LAST_HOUR, metric: 'p95', by: 'tool' })).series).toEqual([]);
    expect(await queries.neverCalled({ range: LAST_HOUR })).toEqual({ tools: [], unknownCatalogues: [] });
    expect(await queries.sessions({ ...list, minCalls: 0, order: 'recent' })).toMatchObject({
      sessions: [],
      total: 0,
    });
    expect(await queries.calls(list)).toMatchObject({ calls: [], nextCursor: null });
  });
});

describe('empty range', () => {
  test('an empty range is quiet, and its summary says when the last data arrived', async () => {
    const lastMs = NOW - 5 * HOUR;
    await store(createSeededCall({ startedUs: lastMs * 1_000 }));
    const { verdict, sentence, totals, freshness } = await queries.summary({ range: LAST_HOUR });
    expect(verdict).toBe('quiet');
    expect(sentence).toContain(new Date(lastMs).toISOString().slice(0, 16).replace('T', ' '));
    expect(totals).toMatchObject({ calls: 0, errorRate: null, p95Ms: null });
    expect(freshness.serversReporting).toBe(0);
  });
});

describe('verdict of the summary', () => {
  test('the verdict names the tool with the most errors and its errors in the previous range', async () => {
    const make = (count: number, over: Partial<SeededCall>) =>
      Array.from({ length: count }, () =>
        createSeededCall({ startedUs: (NOW - HOUR) * 1_000, server_name: 'sick', ...over }),
      );
    const bad = {
      tool_name: 'search_notes',
      outcome: 'tool_error',
      fault: 'server',
      error_code: 'X',
    } as const;
    await store(
      ...make(31, bad),
      ...make(109, { tool_name: 'search_notes' }),
      ...make(60, { tool_name: 'list' }),
      ...make(2, { ...bad, startedUs: (NOW - 30 * HOUR) * 1_000 }),
      ...make(48, { tool_name: 'search_notes', startedUs: (NOW - 30 * HOUR) * 1_000 }),
    );
    const range = { fromMs: NOW - DAY, toMs: NOW };
    const { verdict, sentence } = await queries.summary({ range, server: 'sick' });
    expect(verdict).toBe('degraded');
    expect(sentence).toBe(
      'Degraded. search_notes fails 22 % (31 of 140), 4 % before; 16 % (31 of 200) of all calls fail.',
    );
    const all = await queries.summary({ range });
    expect(all.sentence).toContain('sick/search_notes fails 22 % (31 of 140)');
  });
});

describe('call without latency', () => {
  test('a call without latency is counted, but a tool with only such calls has no percentiles', async () => {
    await store(
      createSeededCall({ startedUs: NOW * 1_000 - 1, server_name: 'untimed', outcome: 'cancelled' }),
    );
    const { tools } = ToolsResponse.parse(await queries.tools({ range: LAST_HOUR, server: 'untimed' }));
    expect(tools).toMatchObject([
      { calls: 1, errors: 0, errorRate: 0, p50Ms: null, p95Ms: null, p99Ms: null },
    ]);
    const query = { range: LAST_HOUR, metric: 'p50', by: 'tool', server: 'untimed' } as const;
    const { series } = SeriesResponse.parse(await queries.series(query));
    expect(series[0]?.points.every(([, value, n]) => value === null && n === 0)).toBe(true);
  });
});

describe('names of tools', () => {
  const at = NOW * 1_000 - 1_000_000;

  test('tool names beyond 500 on one server are combined into one row, and no call is lost', async () => {
    const calls = Array.from({ length: 501 }, (_, n) => n).flatMap((n) =>
      Array.from({ length: n < 499 ? 3 : 1 + (n % 2) }, (_, k) =>
        createSeededCall({
          startedUs: at,
          server_name: 'many',
          tool_name: `t${n}`,
          session_id: `s${n}-${k}`,
          ...(n === 500 && { outcome: 'tool_error', fault: 'server', error_code: 'X' }),
        }),
      ),
    );
    await store(...calls, createSeededCall({ startedUs: at, server_name: 'few', tool_name: 't500' }));
    const { tools } = ToolsResponse.parse(await queries.tools({ range: LAST_HOUR }));
    const many = tools.filter(({ server }) => server === 'many');
    expect(many).toHaveLength(501);
    expect(many.at(-1)).toMatchObject({ tool: 'other', calls: 1, errors: 1, sessions: 1 });
    expect(many.reduce((sum, row) => sum + row.calls, 0)).toBe(calls.length);
    expect(tools.filter(({ server }) => server === 'few').map(({ tool }) => tool)).toEqual(['t500']);
    const { errors } = ErrorsResponse.parse(await queries.errors({ range: LAST_HOUR, server: 'many' }));
    expect(errors).toMatchObject([{ tool: 'other', count: 1, share: 1, rate: 1 }]);
  });

  test('tools named `other` or with an empty name keep their own rows', async () => {
    const named = (tool_name: string, count: number) =>
      Array.from({ length: count }, () => createSeededCall({ startedUs: at, server_name: 'odd', tool_name }));
    await store(
      ...named('other', 12),
      ...named('', 11),
      ...Array.from({ length: 9 }, (_, n) => named(`t${n}`, 9 - n)).flat(),
    );
    const query = { range: LAST_HOUR, metric: 'calls', by: 'tool', server: 'odd' } as const;
    const { series } = await queries.series(query);
    const sums = series.map(({ key, points }) => [key, points.reduce((sum, [, , n]) => sum + n, 0)]);
    expect(sums.slice(0, 3)).toEqual([
      ['other', 12],
      ['', 11],
      ['t0', 9],
    ]);
    expect(sums.at(-1)).toEqual(['(other)', 1 + 2 + 3]);
  });

  test('tools with the same name on two servers are told apart by their server', async () => {
    await store(
      createSeededCall({ startedUs: at, server_name: 'x', tool_name: 'same', session_id: 'shared' }),
      createSeededCall({ startedUs: at, server_name: 'y', tool_name: 'same', session_id: 'shared' }),
    );
    const { series } = await queries.series({
      range: LAST_HOUR,
      metric: 'calls',
      by: 'tool',
      tool: 'same',
    });
    expect(series.map(({ key }) => key).sort()).toEqual(['x/same', 'y/same']);
    const { total } = await queries.sessions({
      range: LAST_HOUR,
      minCalls: 0,
      order: 'recent',
      limit: 10,
      tool: 'same',
    });
    expect(total).toBe(2);
  });
});

describe('hostile filter value', () => {
  const TEXTS = [
    `' OR '1'='1`,
    `'; DROP TABLE calls; --`,
    `\\' OR 1=1 --`,
    `\\`,
    '{server:String}',
    `x' UNION ALL SELECT * FROM system.tables --`,
    '%',
    'null\0byte',
    '\\N',
    'line\nbreak\ttab',
    `日本' OR ''='`,
  ];
  const FIELDS = ['server', 'environment', 'client', 'tool', 'version', 'plan'] as const;
  const CALL_FIELDS = ['method', 'outcome', 'code', 'session'] as const;

  /** Every answer that takes the filter, as what is left of it when nothing matches. */
  async function askAll(field: (typeof FIELDS)[number], text: string): Promise<unknown[]> {
    const query = { range: LAST_HOUR, [field]: text };
    const named = field === 'server' || field === 'environment';
    return Promise.all([
      queries.tools(query).then(({ tools }) => tools),
      queries.errors(query).then(({ errors }) => errors),
      queries.series({ ...query, metric: 'calls', by: 'code' }).then(({ series }) => series),
      queries
        .sessions({ ...query, minCalls: 0, order: 'recent', limit: 10 })
        .then(({ sessions }) => sessions),
      queries.calls({ ...query, limit: 10 }).then(({ calls }) => calls),
      queries.summary(query).then(({ totals }) => (totals.calls + totals.sessions === 0 ? [] : [totals])),
      ...(field === 'server' ? [queries.servers(query).then(({ servers }) => servers)] : []),
      ...(named
        ? [
            queries
              .neverCalled(query)
              .then(({ tools, unknownCatalogues }) => [...tools, ...unknownCatalogues]),
          ]
        : []),
    ]);
  }

  /** The step goes through the fields one by one, and through every second text. */
  const VALUES = sampleCases(
    TEXTS.flatMap((text) => FIELDS.map((field) => ({ field, text }))),
    13,
  );

  test.each(VALUES)(
    'the filter $field = $text matches nothing and breaks nothing',
    async ({ field, text }) => {
      const before = await queries.calls({ range: LAST_HOUR, limit: 1 });
      expect(before.calls).toHaveLength(1);
      for (const answer of await askAll(field, text)) expect(answer).toEqual([]);
      expect(await queries.calls({ range: LAST_HOUR, limit: 1 })).toEqual(before);
    },
  );

  test.each(sampleCases(TEXTS, 5))('%j as any other parameter matches nothing', async (text) => {
    const lists = CALL_FIELDS.map((field) => queries.calls({ range: LAST_HOUR, limit: 10, [field]: text }));
    for (const answer of await Promise.all(lists)) expect(CallsResponse.parse(answer).calls).toEqual([]);
    await expect(queries.session({ id: text, limit: 10 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(queries.session({ id: 'shared', limit: 10, server: text })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a hostile filter value matches literally when a tool has that name', async () => {
    await store(
      ...TEXTS.map((tool_name) =>
        createSeededCall({ startedUs: NOW * 1_000 - 500, server_name: 'hostile', tool_name }),
      ),
    );
    for (const tool of TEXTS) {
      const { tools } = await queries.tools({ range: LAST_HOUR, server: 'hostile', tool });
      expect(tools.map((row) => [row.tool, row.calls])).toEqual([[tool, 1]]);
    }
  });
});

describe('range that starts before the first kept call', () => {
  const range = { fromMs: NOW - 60 * DAY, toMs: NOW - 40 * DAY };
  const old = (over: Partial<SeededCall>, count: number) =>
    Array.from({ length: count }, (_, n) =>
      createSeededCall({
        startedUs: (NOW - 50 * DAY + n * 60_000) * 1_000,
        server_name: 'old',
        session_id: `old-${n % 4}`,
        ...over,
      }),
    );

  test('a range beyond the kept calls is answered from hours and sessions', async () => {
    await store(
      ...old({ tool_name: 'a' }, 12),
      ...old({ tool_name: 'b', fault: 'server', outcome: 'exception', error_code: 'X' }, 8),
    );
    const used = {
      fromMs: Math.floor(range.fromMs / HOUR) * HOUR,
      toMs: Math.ceil(range.toMs / HOUR) * HOUR,
    };
    const query = { range, server: 'old' };
    const { tools, range: resolved } = ToolsResponse.parse(await queries.tools(query));
    expect(resolved).toEqual(used);
    expect(tools.map((row) => [row.tool, row.calls, row.errors, row.sessions])).toEqual([
      ['a', 12, 0, 4],
      ['b', 8, 8, 4],
    ]);
    const { totals, previous } = await queries.summary(query);
    expect(totals).toMatchObject({ calls: 20, errors: 8, sessions: 4, sessionsOverThirty: 0 });
    expect(previous).toMatchObject({ calls: 0, errorRate: null });
    const { series, bucketSeconds } = await queries.series({ ...query, metric: 'calls', by: 'tool' });
    expect(bucketSeconds % 3_600).toBe(0);
    expect(series.flatMap(({ points }) => points).reduce((sum, [, , n]) => sum + n, 0)).toBe(20);
    const sessions = await queries.sessions({
      ...query,
      tool: 'b',
      minCalls: 0,
      order: 'calls',
      limit: 10,
    });
    expect(sessions.total).toBe(4);
  });

  test.each(['client', 'version', 'plan'] as const)(
    'a range beyond the kept calls refuses the filter %s, and the error says what to do',
    async (field) => {
      const refused = {
        name: 'UserError',
        code: 'INVALID_PARAMETER',
        field,
        hint: `Start the range at now-30d or later, or leave "${field}" out.`,
      };
      const query = { range, [field]: 'x' };
      await expect(queries.tools(query)).rejects.toMatchObject(refused);
      await expect(queries.errors(query)).rejects.toMatchObject(refused);
      await expect(queries.summary(query)).rejects.toMatchObject(refused);
      await expect(queries.series({ ...query, metric: 'calls', by: 'tool' })).rejects.toMatchObject(refused);
      await expect(
        queries.sessions({ ...query, minCalls: 0, order: 'recent', limit: 1 }),
      ).rejects.toMatchObject(refused);
    },
  );

  test('a range of exactly thirty days accepts every filter, and has no numbers for the previous thirty days', async () => {
    const recent = { fromMs: NOW - 30 * DAY, toMs: NOW };
    const { totals, previous } = await queries.summary({ range: recent, server: 'many', client: 'cursor' });
    expect(totals.calls).toBe(499 * 3 + 3);
    expect(previous).toMatchObject({ calls: 0, sessions: 0, errorRate: null, p95Ms: null });
  });
});

describe('range of days', () => {
  const midnight = Math.floor(NOW / DAY) * DAY;
  const fromMs = midnight - 5 * DAY + 9 * HOUR;
  const calls = Array.from({ length: 6 * 24 }, (_, at) => midnight - 6 * DAY + at * HOUR + 30 * 60_000).map(
    (atMs, at) =>
      createSeededCall({
        startedUs: atMs * 1_000,
        server_name: 'cut',
        tool_name: at % 3 === 0 ? 'b' : 'a',
        client_name: at % 5 === 0 ? 'zed' : 'cursor',
        session_id: `cut-${at}`,
        ...(at % 7 === 0 && { outcome: 'tool_error', fault: 'client', error_code: 'X' }),
        result_bytes: at % 2 === 0 ? 500 : 5_000,
      }),
  );

  beforeAll(() => store(...calls));

  test.each([
    ['within a day that goes on', midnight - DAY + 13 * HOUR],
    ['behind the last call of its day', midnight - HOUR / 2 + HOUR],
    ['where a day ends', midnight - DAY],
  ])('a range of days that ends %s counts its own calls and no others', async (_, toMs) => {
    const range = { fromMs, toMs };
    const usedToMs = Math.ceil(toMs / HOUR) * HOUR;
    const within = calls.filter(
      ({ startedUs }) => startedUs >= fromMs * 1_000 && startedUs < usedToMs * 1_000,
    );
    const of = (part: Partial<SeededCall>) =>
      within.filter((call) =>
        Object.entries(part).every(([key, value]) => call[key as keyof SeededCall] === value),
      ).length;
    const query = { range, server: 'cut' };
    const { tools } = await queries.tools(query);
    expect(tools.map((row) => [row.tool, row.calls, row.sessions])).toEqual(
      ['a', 'b'].map((name) => [name, of({ tool_name: name }), of({ tool_name: name })]),
    );
    const { clients } = await queries.clients(query);
    expect(clients.map((row) => [row.client, row.calls, row.clientFaults, row.serverFaults])).toEqual(
      ['cursor', 'zed'].map((name) => [
        name,
        of({ client_name: name }),
        of({ client_name: name, fault: 'client' }),
        0,
      ]),
    );
    const page = await queries.tool({ id: 'b', range, server: 'cut', client: 'zed' });
    expect(page.calls).toBe(of({ tool_name: 'b', client_name: 'zed' }));
    expect(page.bySize.map((row) => row.calls)).toEqual(
      [500, 5_000].map((bytes) => of({ tool_name: 'b', client_name: 'zed', result_bytes: bytes })),
    );
    const { total } = await queries.callValues({ ...query, client: 'zed' });
    expect(total).toBe(of({ client_name: 'zed' }));
  });
});

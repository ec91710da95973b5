// Retirements in a real store, compared with an oracle that counts the raw calls and listings in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import {
  RetirementResponse,
  type RetirementRow,
  RetirementsResponse,
} from '../../../../src/contract/retirements.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createCallRandom,
  createSeededCall,
  type SeededCall,
  toColumnTime,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { failedCalls, groupBy, toolCalls } from '../../../support/oracle/call-stats.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000 + 23_456;
const EVER = { fromMs: 0, toMs: NOW + DAY };
const random = createCallRandom(77);

interface ScriptedTool {
  readonly server: string;
  readonly tool: string;
  readonly description?: string;
  readonly successor: string | null;
  readonly verdict: RetirementRow['verdict'];
  /** Days ago on which it is called. */
  readonly called: readonly number[];
  /** Days ago of the first and last listing; none for a server without a listing. */
  readonly listed?: readonly [first: number, last: number];
}

const daysFrom = (first: number, last: number): number[] =>
  Array.from({ length: first - last + 1 }, (_, at) => first - at);
const SINCE_LONG = [110, 0] as const;

/** The tools to remove, and why the verdict on each is what it is. */
const OLD: readonly ScriptedTool[] = [
  {
    server: 'shop',
    tool: 'search',
    successor: 'search_v2',
    verdict: 'safe',
    called: daysFrom(60, 16),
    listed: SINCE_LONG,
  },
  {
    server: 'shop',
    tool: 'cart_old',
    successor: 'cart',
    verdict: 'still_called',
    called: daysFrom(60, 3),
    listed: SINCE_LONG,
  },
  {
    server: 'shop',
    tool: 'report',
    description: 'Deprecated: use export_all.',
    successor: 'export_all',
    verdict: 'still_called',
    called: [91, 60, 29],
    listed: SINCE_LONG,
  },
  {
    server: 'shop',
    tool: 'deprecated_ping',
    successor: 'ping',
    verdict: 'too_early',
    called: [],
    listed: [6, 0],
  },
  {
    server: 'shop',
    tool: 'print',
    description: 'Deprecated.',
    successor: null,
    verdict: 'safe',
    called: [],
    listed: SINCE_LONG,
  },
  {
    server: 'idle',
    tool: 'fetch',
    successor: 'fetchV2',
    verdict: 'too_early',
    called: daysFrom(60, 45),
    listed: [60, 40],
  },
  {
    server: 'unlisted',
    tool: 'get_page',
    successor: 'get_page_v2',
    verdict: 'safe',
    called: daysFrom(40, 20),
  },
];
const NEW: readonly (readonly [server: string, tool: string])[] = [
  ...(['search_v2', 'cart', 'export_all', 'ping'] as const).map((tool) => ['shop', tool] as const),
  ['idle', 'fetchV2'],
  ['unlisted', 'get_page_v2'],
];

function createCalls(server: string, tool: string, days: readonly number[]): SeededCall[] {
  return days.flatMap((daysAgo) =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      createSeededCall({
        ...{ server_name: server, tool_name: tool, session_id: `${server} ${daysAgo}` },
        startedUs: (NOW - daysAgo * DAY - Math.floor(random() * 4 * HOUR)) * 1_000,
        client_name: random() < 0.5 ? 'cursor' : 'claude',
        client_version: random() < 0.5 ? '1.2' : '1.3',
        ...(random() < 0.2 && { outcome: 'tool_error', fault: 'server', error_code: 'BUSY' }),
      }),
    ),
  );
}

const calls = [
  ...OLD.flatMap(({ server, tool, called }) => createCalls(server, tool, called)),
  ...NEW.flatMap(([server, tool]) =>
    createCalls(server, tool, server === 'idle' ? daysFrom(60, 40) : daysFrom(30, 0)),
  ),
];

interface ListedTool {
  readonly server: string;
  readonly tool: string;
  readonly listed?: readonly [first: number, last: number];
  readonly description?: string;
}

const listings = [
  ...OLD,
  ...NEW.map(
    ([server, tool]): ListedTool =>
      server === 'unlisted'
        ? { server, tool }
        : { server, tool, listed: server === 'idle' ? [60, 40] : SINCE_LONG },
  ),
].flatMap((one: ListedTool) => one.listed?.map((daysAgo) => toListing(one, daysAgo)) ?? []);

/** Tools that were not always listed together have another catalogue. */
function toListing({ server, tool, description = '' }: ListedTool, daysAgo: number) {
  return {
    ...{ server_name: server, server_version: '1', environment: 'production', origin: 'list' },
    ...{ listed_at: toColumnTime((NOW - daysAgo * DAY) * 1_000), catalogue_hash: `${server} ${daysAgo}` },
    ...{
      tool_name: tool,
      definition: JSON.stringify({ name: tool, description }),
      definition_hash: tool.length,
    },
    ...{ trace_id: 'a', span_id: 'b' },
  };
}

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  await insertRows(engine.store, 'tool_listings', listings);
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const callsOf = (server: string, tool: string | null) =>
  tool === null ? [] : toolCalls(calls, EVER, { server, tool });
const dayOf = (us: number) => Math.floor(us / 1_000 / DAY);
const listedDays = ({ server, listed }: ScriptedTool) => [
  ...(listed ?? []),
  ...(server === 'shop' ? [0] : server === 'idle' ? [40] : []),
];

/** Counted from the raw calls and listings, by the rule as the documentation states it. */
function evaluate(one: ScriptedTool) {
  const own = callsOf(one.server, one.tool).map(({ startedUs }) => startedUs / 1_000);
  const days = [...new Set(own.map((ms) => dayOf(ms * 1_000)))].sort((a, b) => a - b);
  const gaps = days.slice(1).map((day, at) => day - (days[at] ?? 0));
  const requiredDays = Math.max(14, ...gaps.map((gap) => gap + 1));
  const last = own.length === 0 ? undefined : Math.max(...own);
  const known = Math.min(...own, ...(one.listed ?? []).map((ago) => NOW - ago * DAY));
  const serverSeen = Math.max(
    ...toolCalls(calls, EVER, { server: one.server }).map(({ startedUs }) => startedUs / 1_000),
    ...listedDays(one).map((ago) => NOW - ago * DAY),
  );
  const quietDays = Math.max(0, Math.floor((serverSeen - Math.max(last ?? 0, known)) / DAY));
  const isRecent = last !== undefined && NOW - last < requiredDays * DAY;
  return {
    verdict: quietDays >= requiredDays ? 'safe' : isRecent ? 'still_called' : 'too_early',
    quietDays,
    requiredDays,
    longestGapDays: gaps.length === 0 ? null : Math.max(...gaps),
    calls: own.length,
    successorCalls: one.successor === null ? null : callsOf(one.server, one.successor).length,
    lastCalledAt:
      last === undefined
        ? null
        : expect.stringContaining(new Date(Math.floor(last)).toISOString().slice(0, 23)),
  };
}

function toCallers(rows: readonly SeededCall[]) {
  const groups = groupBy(rows, ({ client_name, client_version }) => `${client_name} ${client_version}`);
  return [...groups].map(([key, own]) => ({ key, calls: own.length, errors: failedCalls(own).length, own }));
}

describe('retirements', () => {
  test('every superseded or deprecated tool has the verdict of the oracle, and no other tool is listed', async () => {
    const answer = RetirementsResponse.parse(await queries.retirements({}));
    expect(answer.minQuietDays).toBe(14);
    const rows = new Map(answer.retirements.map((row) => [`${row.server} ${row.tool}`, row]));
    expect([...rows.keys()].sort()).toEqual(OLD.map(({ server, tool }) => `${server} ${tool}`).sort());
    for (const one of OLD) {
      const row = rows.get(`${one.server} ${one.tool}`);
      expect(row, one.tool).toMatchObject({ successor: one.successor, ...evaluate(one) });
      expect(row?.verdict, one.tool).toBe(one.verdict);
      const since = NOW - (row?.requiredDays ?? 0) * DAY;
      const recent = callsOf(one.server, one.tool).filter(
        ({ startedUs }) => startedUs / 1_000 >= Math.max(since, NOW - 30 * DAY),
      );
      const expected = row?.verdict === 'still_called' ? toCallers(recent) : [];
      expect(
        row?.callers.map(({ client, clientVersion, calls: n }) => [`${client} ${clientVersion}`, n]).sort(),
      ).toEqual(expected.map(({ key, calls: n }) => [key, n]).sort());
    }
  });

  test('still called tools come first, and the pages of the list follow each other', async () => {
    const all = await queries.retirements({});
    const verdicts = all.retirements.map(({ verdict }) => verdict);
    expect(verdicts).toEqual([...verdicts].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
    const first = await queries.retirements({ limit: 4 });
    const second = await queries.retirements({ limit: 4, cursor: first.nextCursor });
    expect([...first.retirements, ...second.retirements]).toEqual(all.retirements);
    expect(second.nextCursor).toBeUndefined();
  });

  test('the list can be narrowed to one server', async () => {
    const { retirements } = await queries.retirements({ server: 'idle' });
    expect(retirements.map(({ tool }) => tool)).toEqual(['fetch']);
  });

  test.each([
    ['shop', 'cart_old', 'cart'],
    ['shop', 'report', 'export_all'],
    ['unlisted', 'get_page', 'get_page_v2'],
  ])('the callers of %s %s and of %s agree with the oracle day by day', async (server, tool, successor) => {
    const answer = RetirementResponse.parse(await queries.retirement({ id: tool, server }));
    const { fromMs, toMs } = answer.counted;
    expect([toMs - fromMs, toMs % DAY]).toEqual([30 * DAY, 0]);
    for (const name of [tool, successor]) {
      const rows = toolCalls(calls, answer.counted, { server, tool: name });
      const callers = answer.callers.filter((caller) => caller.tool === name);
      expect(callers.map(({ client, clientVersion }) => `${client} ${clientVersion}`).sort()).toEqual(
        toCallers(rows)
          .map(({ key }) => key)
          .sort(),
      );
      for (const { key, own, ...counts } of toCallers(rows)) {
        const caller = callers.find(({ client, clientVersion }) => `${client} ${clientVersion}` === key);
        expect(caller, key).toMatchObject(counts);
        const days = [...groupBy(own, ({ startedUs }) => String(dayOf(startedUs)))]
          .map(([day, ofDay]) => ({ atMs: Number(day) * DAY, calls: ofDay.length }))
          .sort((a, b) => a.atMs - b.atMs);
        expect(caller?.days).toEqual(days);
      }
    }
  });

  test('a tool that nothing replaces has no page', async () => {
    await expect(queries.retirement({ id: 'cart', server: 'shop' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

const ORDER = ['still_called', 'too_early', 'safe'];

// The overview apart from its verdict, compared with an oracle over the same rows in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallersResponse } from '../../../../src/contract/callers.ts';
import { ClientsResponse, ProtocolsResponse, TrendResponse } from '../../../../src/contract/overview.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { toProtocolEra } from '../../../../src/service/queries/overview/protocols.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createSeededCall,
  createSeededCalls,
  type SeededCall,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import {
  failedCalls,
  groupBy,
  isWithin,
  nearestRank,
  type OracleFilters,
  type OracleRange,
  sessionKey,
  toolCalls,
} from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;

const USERS = ['', '0a1b2c3d4e5f6071', '1a1b2c3d4e5f6072', '2a1b2c3d4e5f6073', '0a1b2c3d4e5f6071'];
const PROTOCOLS = ['2025-06-18', '2025-11-25', '2026-07-28', ''] as const;

/** Protocol and client version follow from what is random already, so that they differ from call to call. */
function varyCall(call: SeededCall, at: number): SeededCall {
  return {
    ...call,
    protocol_version: PROTOCOLS[at % PROTOCOLS.length] ?? '',
    principal: USERS[at % USERS.length] ?? '',
    client_version:
      call.client_name === '' ? '' : ['2.1', '2.2'][Math.floor(call.startedUs / (DAY * 1_000)) % 2]!,
  };
}

const calls = [
  ...createSeededCalls({ seed: 21, count: 2_000, fromMs: NOW - 26 * HOUR, toMs: NOW }),
  ...createSeededCalls({ seed: 22, count: 1_000, fromMs: NOW - 9 * DAY, toMs: NOW }),
].map(varyCall);

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const FILTERS: readonly OracleFilters[] = [
  {},
  { server: 'files' },
  { environment: 'staging' },
  { client: 'cursor' },
  { tool: 'tool_3' },
  { version: '1.1.0' },
  { plan: 'plan-5' },
];

const outward = ({ fromMs, toMs }: OracleRange, step: number): OracleRange => ({
  fromMs: Math.floor(fromMs / step) * step,
  toMs: Math.ceil(toMs / step) * step,
});
const RANGES = [
  ['some ragged hours', { fromMs: NOW - 7 * HOUR + 1_234, toMs: NOW - 2 * HOUR }, MINUTE],
  ['a day', { fromMs: NOW - DAY, toMs: NOW }, MINUTE],
  ['a week', { fromMs: NOW - 7 * DAY, toMs: NOW }, HOUR],
  ['an hour without a call', { fromMs: NOW - 12 * DAY, toMs: NOW - 12 * DAY + HOUR }, MINUTE],
] as const;
const cases = RANGES.flatMap(([name, range, step]) =>
  FILTERS.map((filters) => ({ name, filters, range, used: outward(range, step) })),
);

/** Groups under text keys, most calls first as the response has them. */
function countBy(own: readonly SeededCall[], keyOf: (call: SeededCall) => string) {
  return [...groupBy(own, keyOf)]
    .map(([key, same]) => ({ key, calls: same.length, errors: failedCalls(same).length }))
    .sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
}

describe('callers by tool', () => {
  const toolOf = ({ server_name, tool_name }: SeededCall): string => `${server_name} ${tool_name}`;

  test.each(
    sampleCases(cases, 4).flatMap((one) => (['client', 'user'] as const).map((by) => ({ ...one, by }))),
  )(
    'the callers and their tools agree with a recount over $name, by $by, by $filters',
    async ({ range, used, filters, by }) => {
      const answer = CallersResponse.parse(await queries.callers({ ...filters, range, by }));
      const nameOf = ({ client_name, principal = '' }: SeededCall) =>
        by === 'user' ? principal : client_name;
      const own = toolCalls(calls, used, filters).filter((call) => by === 'client' || nameOf(call) !== '');
      expect(answer).toMatchObject({ by, counted: used, total: new Set(own.map(nameOf)).size });
      expect(answer.callers.map(({ name, calls, errors }) => ({ key: name, calls, errors }))).toEqual(
        countBy(own, nameOf),
      );
      for (const { name, tools } of answer.callers)
        expect(
          tools.map(({ server, tool, calls, errors }) => ({ key: `${server} ${tool}`, calls, errors })),
        ).toEqual(
          countBy(
            own.filter((call) => nameOf(call) === name),
            toolOf,
          ),
        );
    },
  );

  test('calls without a user are not counted by user', async () => {
    const range = { fromMs: NOW - 7 * DAY, toMs: NOW };
    const { callers, total } = await queries.callers({ range, by: 'user' });
    expect(total).toBe(3);
    expect(callers.map(({ name }) => name)).not.toContain('');
  });
});

describe('clients by outcome', () => {
  test.each(sampleCases(cases, 4))(
    'the clients by outcome agree with the oracle over $name, by $filters',
    async ({ range, used, filters }) => {
      const answer = ClientsResponse.parse(await queries.clients({ ...filters, range }));
      const groups = groupBy(toolCalls(calls, used, filters), ({ client_name }) => client_name);
      expect(answer.counted).toEqual(used);
      expect(answer.rest).toEqual({ clients: 0, calls: 0 });
      expect(answer.clients.map(({ client }) => client).sort()).toEqual([...groups.keys()].sort());
      for (const row of answer.clients) {
        const own = groups.get(row.client) ?? [];
        const by = (fault: string) => own.filter((call) => call.fault === fault).length;
        const ok = own.filter(({ outcome }) => outcome === 'ok').length;
        expect(row).toMatchObject({
          calls: own.length,
          ok,
          clientFaults: by('client'),
          serverFaults: by('server'),
          neither: own.length - ok - by('client') - by('server'),
          errorRate: { n: own.length, value: failedCalls(own).length / own.length },
        });
        expect(row.errorRate.low).toBeLessThanOrEqual(row.errorRate.value ?? 0);
        expect(row.errorRate.high).toBeGreaterThanOrEqual(row.errorRate.value ?? 0);
      }
    },
  );

  test('the clients are sorted by calls, most first, with the versions that their sessions reported', async () => {
    const { clients } = await queries.clients({ range: { fromMs: NOW - 7 * DAY, toMs: NOW } });
    const counts = clients.map((row) => row.calls);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(clients.find(({ client }) => client === 'cursor')?.versions).toEqual(['2.1', '2.2']);
    expect(clients.find(({ client }) => client === '')?.versions).toEqual([]);
  });

  test('clients beyond twenty are only counted, since a client may choose any name', async () => {
    // Long before what the other tests ask for.
    const range = { fromMs: NOW - 20 * DAY, toMs: NOW - 20 * DAY + HOUR };
    const at = (range.fromMs + 5 * MINUTE) * 1_000;
    const many = Array.from({ length: 25 }, (_, client) =>
      Array.from({ length: client < 20 ? 3 : 1 }, () =>
        createSeededCall({ server_name: 'popular', client_name: `client ${client}`, startedUs: at }),
      ),
    ).flat();
    await insertRows(engine.store, 'calls', many.map(toStoredRow));
    const { clients, rest } = await queries.clients({ server: 'popular', range });
    expect([clients.length, clients.every((row) => row.calls === 3), rest]).toEqual([
      20,
      true,
      { clients: 5, calls: 5 },
    ]);
  });

  test('the client counts state where they begin if minutes have expired, and are absent if all have', async () => {
    const range = { fromMs: NOW - 60 * DAY, toMs: NOW };
    const part = await queries.clients({ server: 'notes', range });
    expect(part.counted?.fromMs).toBe(Math.floor((NOW - 30 * DAY) / HOUR) * HOUR);
    expect(part.clients.reduce((sum, row) => sum + row.calls, 0)).toBe(
      toolCalls(calls, { fromMs: 0, toMs: NOW + HOUR }, { server: 'notes' }).length,
    );
    const none = await queries.clients({ range: { fromMs: NOW - 60 * DAY, toMs: NOW - 40 * DAY } });
    expect(none).toMatchObject({ counted: null, clients: [] });
  });
});

describe('protocol versions', () => {
  test.each(sampleCases(cases, 4))(
    'the protocol versions agree with the oracle over $name, by $filters',
    async ({ range, used, filters }) => {
      const answer = ProtocolsResponse.parse(await queries.protocols({ ...filters, range }));
      const counted = toolCalls(calls, used, filters);
      const groups = groupBy(counted, ({ protocol_version }) => protocol_version);
      expect(answer.protocols.map(({ version }) => version)).toEqual([...groups.keys()].sort().reverse());
      expect(answer.window).toMatchObject({ calls: counted.length, isWhole: true });
      for (const row of answer.protocols) {
        const own = groups.get(row.version) ?? [];
        expect([row.calls, row.share.value, row.share.n]).toEqual([
          own.length,
          own.length / counted.length,
          counted.length,
        ]);
        expect(row.sessions).toBe(new Set(own.filter((c) => c.session_id !== '').map(sessionKey)).size);
        expect(row.clients).toEqual(
          [...new Set(own.map(({ client_name }) => client_name))].filter((name) => name !== '').sort(),
        );
      }
    },
  );

  test.each([
    ['2024-11-05', '2025', 'it opens with a handshake like those of 2025'],
    ['2025-11-25', '2025', 'the last revision with sessions'],
    ['2026-07-28', '2026-07-28', 'the first without'],
    ['2027-01-01', '2026-07-28', 'later ones have none either, as far as is known'],
    ['2026-07-28-draft', '2026-07-28', 'a draft of it counts as it'],
    ['draft', 'unknown', 'a name that is no date says nothing'],
    ['', 'unknown', 'neither does none'],
  ])('the protocol version %s belongs to the era %s, because %s', (version, era) => {
    expect(toProtocolEra(version)).toBe(era);
  });
});

describe('trend of the tiles', () => {
  test.each(sampleCases(cases, 4))(
    'the trend of the tiles agrees with the oracle over $name, by $filters',
    async ({ range, used, filters }) => {
      const answer = TrendResponse.parse(await queries.trend({ ...filters, range }));
      const width = answer.bucketSeconds * 1_000;
      const counted = toolCalls(calls, used, filters);
      expect(answer.range).toEqual(used);
      expect(answer.points[0]?.atMs).toBe(Math.floor(used.fromMs / width) * width);
      expect(answer.points.reduce((sum, point) => sum + point.calls, 0)).toBe(counted.length);
      for (const point of answer.points) {
        const own = counted.filter((call) =>
          isWithin(call, { fromMs: point.atMs, toMs: point.atMs + width }),
        );
        expect([point.calls, point.errors, point.sessions]).toEqual([
          own.length,
          failedCalls(own).length,
          new Set(own.filter((c) => c.session_id !== '').map(sessionKey)).size,
        ]);
        const exact = nearestRank(own, 0.95);
        if (exact === null) expect(point.p95Ms).toBeNull();
        else {
          expect(point.p95Ms).toBeLessThanOrEqual(exact * 1.000_001);
          expect(point.p95Ms).toBeGreaterThanOrEqual(exact * 0.992);
        }
      }
    },
  );
});

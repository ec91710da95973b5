// What changed, counted again from the rows: versions, clients and codes by their first request, tools and definitions by what was
// listed, shifts against the range before.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChangeRow, ChangesAnswer } from '../../../src/contract/changes.ts';
import { micros } from './expect-figures.ts';
import { type AskedRange, NOW, type OpenWorld, openRawWorld, RANGES } from './open-raw-world.ts';
import { MINUTE, type RawCall, type RawListing } from './raw-row.ts';
import {
  failed,
  groupBy,
  matches,
  nearestRank,
  type RecountFilters,
  type Span,
  timed,
  toolCalls,
} from './recount.ts';
import { isCounted } from './recount-order.ts';
import { makeCall } from './seeded-calls.ts';

let world: OpenWorld;

beforeAll(async () => {
  world = await openRawWorld(8, shiftingCalls());
});

afterAll(() => world.stop());

/** Tools of a fourth server whose figures were others in the three hours before the last three. */
function shiftingCalls(): RawCall[] {
  const make = (hoursAgo: number, over: Partial<RawCall>, count: number): RawCall[] =>
    Array.from({ length: count }, (_, at) => ({
      ...makeCall({ startedUs: (NOW - hoursAgo * 60 * MINUTE + at * 1_000) * 1_000 }),
      ...{ catalogue_hash: '', fingerprint_key_id: '', argument_fingerprints: {} },
      ...{ server_name: 'shifting', session_id: '', session_source: 'none' as const },
      ...over,
    }));
  const broken = { outcome: 'exception', fault: 'server', error_code: 'X' } as const;
  return [
    ...make(5, { tool_name: 'breaks' }, 40),
    ...make(2, { tool_name: 'breaks', ...broken }, 15),
    ...make(2, { tool_name: 'breaks' }, 25),
    ...make(5, { tool_name: 'mends', ...broken }, 30),
    ...make(2, { tool_name: 'mends' }, 30),
    ...make(5, { tool_name: 'slows', duration_us: 100_000 }, 40),
    ...make(2, { tool_name: 'slows', duration_us: 400_000 }, 40),
    ...make(5, { tool_name: 'seldom' }, 19),
    ...make(2, { tool_name: 'seldom', ...broken }, 40),
    ...make(5, { tool_name: 'stays', ...broken }, 3),
    ...make(5, { tool_name: 'stays' }, 37),
    ...make(2, { tool_name: 'stays', ...broken }, 5),
    ...make(2, { tool_name: 'stays' }, 35),
    ...make(2, { tool_name: 'stays', client_name: 'newcomer', server_version: '2.0.0' }, 1),
  ];
}

interface Case extends AskedRange {
  readonly filters: RecountFilters;
}

const FILTERS: readonly RecountFilters[] = [
  {},
  { server: 'notes' },
  { environment: 'staging' },
  { server: 'notes', environment: 'production', tool: 'search_notes' },
];
const CASES: Case[] = RANGES.flatMap((range) =>
  FILTERS.map((filters) => ({ ...range, filters, name: `${range.name} of ${JSON.stringify(filters)}` })),
);

const answers = new Map<string, Promise<ChangeRow[]>>();
function ask({ name, range, filters }: Case): Promise<ChangeRow[]> {
  const asked =
    answers.get(name) ??
    world.questions.changes({ ...filters, range }).then((answer) => ChangesAnswer.parse(answer).changes);
  answers.set(name, asked);
  return asked;
}

const within = (us: number, { fromMs, toMs }: Span): boolean => us >= fromMs * 1_000 && us < toMs * 1_000;
const told = (rows: readonly ChangeRow[], ...kinds: ChangeRow['kind'][]) =>
  rows.filter(({ kind }) => kinds.includes(kind));
const startOf = (calls: readonly RawCall[]): number => Math.min(...calls.map(({ startedUs }) => startedUs));

describe('names that were seen for the first time', () => {
  test.each(CASES)('in $name agree with a recount', async (asked) => {
    const rows = await ask(asked);
    const { server, environment, tool } = asked.filters;
    const isAsked = (kind: ChangeRow['kind'], name: string, client: string) =>
      kind !== 'new_client' || tool === undefined || callersOf(name, tool).has(client);
    const requests = world.calls.filter(
      (call) =>
        call.side === 'server' &&
        matches(call, { ...(server && { server }), ...(environment && { environment }) }),
    );
    for (const [kind, of] of [
      ['version', ({ server_version }: RawCall) => server_version],
      ['new_client', ({ client_name }: RawCall) => client_name],
    ] as const) {
      const expected = [...groupBy(requests, ({ server_name }) => server_name)].flatMap(([name, own]) => {
        const firsts = [...groupBy(own as RawCall[], of)]
          .filter(([value]) => value !== '')
          .map(([value, calls]) => ({ server: name, value, us: startOf(calls) }))
          .sort((a, b) => a.us - b.us);
        // What a server began with is no change.
        return firsts
          .slice(1)
          .filter(({ us, value }) => within(us, asked.used) && isAsked(kind, name, value));
      });
      const actual = told(rows, kind).map((row) => ({
        server: row.server,
        value: (kind === 'version' ? row.version : row.client) ?? '',
        us: micros(row.at),
      }));
      const byTime = (a: { us: number }, b: { us: number }) => a.us - b.us;
      expect(actual.sort(byTime)).toEqual(expected.sort(byTime));
    }
  });
});

/** Who ever called a tool. */
const callersOf = (server: string, tool: string): ReadonlySet<string> =>
  new Set(
    world.calls
      .filter((call) => call.server_name === server && call.tool_name === tool && isCounted(call))
      .map(({ client_name }) => client_name),
  );

test('a new client is told where a tool is asked about only if it called that tool', async () => {
  const range = { fromMs: NOW - 4 * 60 * MINUTE, toMs: NOW };
  const clientsOf = async (tool: string) => {
    const { changes } = await world.questions.changes({ range, server: 'shifting', tool });
    return told(changes, 'new_client').map(({ client }) => client);
  };
  expect([await clientsOf('stays'), await clientsOf('breaks')]).toEqual([['newcomer'], []]);
});

describe('loops that were seen for the first time', () => {
  test.each(CASES)('in $name agree with a recount', async (asked) => {
    const rows = told(await ask(asked), 'first_loop');
    const { server, environment, tool } = asked.filters;
    const loops = world.loops.filter(
      (one) =>
        !one.withdrawn &&
        one.severity !== 'note' &&
        (server === undefined || one.server === server) &&
        (environment === undefined || one.environment === environment),
    );
    const ofTools = loops.flatMap((one) => [...new Set(one.tools)].map((name) => ({ ...one, name })));
    const expected = [...groupBy(ofTools, (one) => JSON.stringify([one.server, one.name]))]
      .map(([key, own]) => [key, Math.min(...own.map(({ onsetUs }) => onsetUs))] as const)
      .filter(([key, us]) => within(us, asked.used) && (tool === undefined || JSON.parse(key)[1] === tool));
    expect(new Map(rows.map((row) => [JSON.stringify([row.server, row.tool]), micros(row.at)]))).toEqual(
      new Map(expected),
    );
    for (const row of rows) {
      const own = world.loops.find(({ id }) => id === row.loop);
      expect([own?.onsetUs, own?.client && row.sentence.startsWith(own.client)]).toEqual([
        micros(row.at),
        own?.client && true,
      ]);
    }
  });

  test('are there at all', async () => {
    const all = await Promise.all(CASES.map(ask));
    expect(told(all.flat(), 'first_loop').length).toBeGreaterThan(2);
  });
});

describe('codes that were seen for the first time', () => {
  test.each(CASES)('in $name agree with a recount', async (asked) => {
    const rows = told(await ask(asked), 'new_code');
    const errors = (failed(world.calls) as RawCall[]).filter(
      (call) => isCounted(call) && matches(call, asked.filters),
    );
    const expected = [
      ...groupBy(errors, (call) => JSON.stringify([call.server_name, call.tool_name, call.error_code])),
    ]
      .map(([key, own]) => [key, startOf(own)] as const)
      .filter(([, us]) => within(us, asked.used));
    expect(
      new Map(rows.map((row) => [JSON.stringify([row.server, row.tool, row.code]), micros(row.at)])),
    ).toEqual(new Map(expected));
  });
});

const listedIn = ({ server, environment, tool }: RecountFilters): RawListing[] =>
  world.listings.filter(
    (one) =>
      (server === undefined || one.server_name === server) &&
      (environment === undefined || one.environment === environment) &&
      (tool === undefined || one.tool_name === tool),
  );
const firstOf = (listings: readonly RawListing[]): number =>
  Math.min(...listings.map(({ listedUs }) => listedUs));
const lastOf = (listings: readonly RawListing[]): number =>
  Math.max(...listings.map(({ listedUs }) => listedUs));

describe('what servers list', () => {
  test.each(CASES)('in $name agrees with a recount', async (asked) => {
    const rows = await ask(asked);
    const { server, environment, tool } = asked.filters;
    const servers = groupBy(
      listedIn({ ...(server && { server }), ...(environment && { environment }) }),
      ({ server_name }) => server_name,
    );
    const expected = [...servers].flatMap(([name, all]) =>
      [...groupBy(all, ({ tool_name }) => tool_name)]
        .filter(([one]) => tool === undefined || one === tool)
        .flatMap(([one, own]) => {
          const definitions = [...groupBy(own, ({ definition }) => definition).values()]
            .map(firstOf)
            .sort((a, b) => a - b);
          const added = firstOf(own) > firstOf(all) ? [['tool_added', name, one, firstOf(own)]] : [];
          const changed = definitions.slice(1).map((us) => ['definition', name, one, us]);
          return [...added, ...changed, ...goneFrom(own, all).map((us) => ['tool_removed', name, one, us])];
        }),
    );
    const actual = told(rows, 'tool_added', 'definition', 'tool_removed').map((row) => [
      row.kind,
      row.server,
      row.tool,
      micros(row.at),
    ]);
    const inRange = expected.filter(([, , , us]) => within(Number(us), asked.used));
    expect(actual.map(String).sort()).toEqual(inRange.map(String).sort());
  });

  test.each(CASES)('in $name has the errors of before and after', async (asked) => {
    const { environment } = asked.filters;
    const long = asked.used.toMs - asked.used.fromMs;
    const span = { fromMs: asked.used.fromMs - long, toMs: asked.used.toMs };
    for (const row of told(await ask(asked), 'definition')) {
      const calls = toolCalls(world.calls, span, {
        server: row.server,
        tool: row.tool,
        ...(environment && { environment }),
      }) as RawCall[];
      const listings = listedIn({ server: row.server, tool: row.tool });
      const [old, now] = [...groupBy(listings, ({ definition }) => definition).values()].sort(
        (a, b) => firstOf(a) - firstOf(b),
      );
      for (const [figure, own] of [
        [row.before, old],
        [row.after, now],
      ] as const) {
        const catalogues = new Set(own?.map(({ catalogue_hash }) => catalogue_hash));
        const met = calls.filter(({ catalogue_hash }) => catalogues.has(catalogue_hash));
        expect(figure).toEqual({
          n: met.length,
          value: met.length === 0 ? null : expect.closeTo(failed(met).length / met.length, 12),
        });
      }
    }
  });
});

/** The first listing without the tool, in every environment that had it; none while one still has it. */
function goneFrom(own: readonly RawListing[], all: readonly RawListing[]): number[] {
  const gone = [...groupBy(own, ({ environment }) => environment)].map(([environment, had]) => {
    const later = all.filter((one) => one.environment === environment && one.listedUs > lastOf(had));
    return later.length === 0 ? undefined : firstOf(later);
  });
  return gone.some((us) => us === undefined) ? [] : [Math.max(...gone.map((us) => us ?? 0))];
}

const endOf = ({ endedAt }: ChangeRow, { used }: Case): number =>
  endedAt === undefined ? used.toMs : Date.parse(endedAt);

describe('shifts', () => {
  test.each(CASES)('in $name agree with a recount', async (asked) => {
    const rows = told(await ask(asked), 'error_shift', 'latency_shift');
    for (const row of rows) {
      const of = (fromMs: number, toMs: number) =>
        toolCalls(world.calls, { fromMs, toMs }, { ...asked.filters, server: row.server, tool: row.tool });
      const atMs = Date.parse(row.at);
      const endMs = endOf(row, asked);
      expect(atMs).toBeGreaterThanOrEqual(asked.used.fromMs);
      expect(endMs).toBeLessThanOrEqual(asked.used.toMs);
      for (const [figure, own] of [
        [row.before, of(Date.parse(row.beforeFrom ?? ''), atMs)],
        [row.after, of(atMs, endMs)],
      ] as const) {
        expect(own.length).toBeGreaterThanOrEqual(20);
        if (row.kind === 'error_shift')
          expect(figure).toEqual({
            n: own.length,
            value: expect.closeTo(failed(own).length / own.length, 12),
          });
        else {
          expect(figure?.n).toBe(timed(own).length);
          expect(figure?.value).toBeLessThanOrEqual((nearestRank(own, 0.95) ?? 0) * 1.000_001);
          expect(figure?.value).toBeGreaterThanOrEqual((nearestRank(own, 0.95) ?? 0) * 0.992);
        }
      }
    }
  });

  test('are told of the tools that shifted by more than chance, and of no other', async () => {
    const [range] = RANGES;
    const { changes } = await world.questions.changes({
      range: range?.range ?? { fromMs: 0, toMs: NOW },
      server: 'shifting',
    });
    const shifts = told(changes, 'error_shift', 'latency_shift').map(({ kind, tool, at }) => [
      kind,
      tool,
      at,
    ]);
    // All of them began two hours ago, to the minute.
    const at = new Date(Math.floor(NOW / MINUTE) * MINUTE - 120 * MINUTE).toISOString().replace('Z', '000Z');
    expect(shifts.sort()).toEqual([
      ['error_shift', 'breaks', at],
      ['error_shift', 'mends', at],
      ['latency_shift', 'slows', at],
    ]);
  });
});

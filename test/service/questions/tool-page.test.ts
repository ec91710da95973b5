// Every number of a tool's page against the same rows in memory: over minutes and hours, with each filter, over ranges that cut
// sessions, for tools that were changed, taken away and made up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolAnswer } from '../../../src/contract/tool.ts';
import { ToolAnswer as Answer } from '../../../src/contract/tool.ts';
import { expectPercentile, expectResultTokens, micros, proportion } from './expect-figures.ts';
import { type AskedRange, NOW, type OpenWorld, openRawWorld, RANGES } from './open-raw-world.ts';
import { HOUR, type RawCall } from './raw-row.ts';
import { failed, groupBy, nearestRank, type RecountFilters, sessionKey, toolCalls } from './recount.ts';
import {
  confusionsOf,
  followErrors,
  isCounted,
  isInLoop,
  neighboursOf,
  type Pair,
  tally,
  type Walk,
} from './recount-order.ts';

let world: OpenWorld;

beforeAll(async () => {
  world = await openRawWorld(6);
});

afterAll(() => world.stop());

interface Case extends AskedRange {
  readonly server: string;
  readonly tool: string;
  readonly filters: RecountFilters;
}

const NAMES = [
  'notes/search_notes',
  'files/read_file',
  'notes/old_tool',
  'notes/serach_notes',
  'silent/ping',
];
const FILTERS: readonly RecountFilters[] = [
  { environment: 'staging' },
  { client: 'claude' },
  { version: '1.10.0' },
  { plan: 'plan-9' },
  { environment: 'production', client: 'cursor', version: '1.9.0' },
];

function toCase(range: AskedRange, name: string, filters: RecountFilters = {}): Case {
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

const own = ({ used, filters, server, tool }: Case): RawCall[] =>
  toolCalls(world.calls, used, { ...filters, server, tool }) as RawCall[];
const walkOf = ({ used, filters, server, tool }: Case): Walk => ({
  calls: world.calls,
  span: used,
  filters: { ...filters, server, tool },
  nowMs: NOW,
});

const answers = new Map<string, Promise<ToolAnswer>>();
function ask({ name, tool, server, range, filters }: Case): Promise<ToolAnswer> {
  const asked =
    answers.get(name) ??
    world.questions.tool(tool, { ...filters, server, range }).then((answer) => Answer.parse(answer));
  answers.set(name, asked);
  return asked;
}

const sessionsOf = (calls: readonly RawCall[]): number =>
  new Set(calls.filter(({ session_id }) => session_id !== '').map(sessionKey)).size;
const triesOf = (calls: readonly RawCall[]): number | null => {
  const ok = calls.filter(({ outcome }) => outcome === 'ok').length;
  return ok === 0 ? null : calls.length / ok;
};
const namesIn = (calls: readonly RawCall[], of: (call: RawCall) => string): string[] =>
  [...new Set(calls.map(of))].filter((name) => name !== '').sort();

test.each(CASES)('the head of $name agrees with a recount', async (asked) => {
  const answer = await ask(asked);
  const calls = own(asked);
  expect(answer).toMatchObject({
    range: asked.used,
    calls: calls.length,
    sessions: sessionsOf(calls),
    errorRate: proportion(failed(calls).length, calls.length),
    triesPerSuccess: triesOf(calls),
    next: tally(followErrors(walkOf(asked))),
    loopShare: proportion(calls.filter((call) => isInLoop(call, world.loops)).length, calls.length),
  });
  expectPercentile(answer.p50Ms, nearestRank(calls, 0.5));
  expectPercentile(answer.p95Ms, nearestRank(calls, 0.95));
  expectResultTokens(answer.resultTokensP95, calls);
  const { server, filters } = asked;
  const { environment } = filters;
  const around = toolCalls(world.calls, asked.used, { server, ...(environment && { environment }) });
  expect(answer.sequence).toEqual({ fromMs: asked.used.fromMs, calls: around.length, isWhole: true });
});

interface Ranked {
  readonly tool: string;
  readonly count: number;
  readonly sessions?: number;
  readonly endedInFailure?: object;
}

/** Whoever stands at the head of a list may be anyone of those that are equally frequent. */
function expectRanked(actual: readonly Ranked[], pairs: readonly Pair[]): void {
  const groups = groupBy(pairs, ({ other }) => other);
  const counts = [...groups.values()].map(({ length }) => length).sort((a, b) => b - a);
  expect(actual.map(({ count }) => count)).toEqual(counts.slice(0, 20));
  for (const { tool, count, sessions, endedInFailure } of actual) {
    const mine = groups.get(tool) ?? [];
    expect([tool, count]).toEqual([tool, mine.length]);
    if (sessions !== undefined) expect(sessions).toBe(new Set(mine.map(({ session }) => session)).size);
    const ended = mine.filter(({ hasFailed }) => hasFailed).length;
    if (endedInFailure !== undefined) expect(endedInFailure).toEqual(proportion(ended, mine.length));
  }
}

test.each(CASES)('the neighbours of $name agree with a recount', async (asked) => {
  const { before, after, confusedWith } = await ask(asked);
  expectRanked(before, neighboursOf(walkOf(asked), 'before'));
  expectRanked(after, neighboursOf(walkOf(asked), 'after'));
  expectRanked(
    confusedWith.map(({ tool, calls, sessions }) => ({ tool, count: calls, sessions })),
    confusionsOf(walkOf(asked)),
  );
});

const SIZES = [0, 1_000, 10_000, 100_000, 1_000_000, Number.POSITIVE_INFINITY];

test.each(CASES)('the latency of $name agrees with a recount by client and size', async (asked) => {
  const { byClient, bySize } = await ask(asked);
  const clients = groupBy(own(asked), ({ client_name }) => client_name) as Map<string, RawCall[]>;
  expect(byClient.map(({ client }) => client).sort()).toEqual([...clients.keys()].sort());
  for (const row of byClient) {
    const calls = clients.get(row.client) ?? [];
    expect(row).toMatchObject({
      calls: calls.length,
      errorRate: proportion(failed(calls).length, calls.length),
    });
    expectPercentile(row.p50Ms, nearestRank(calls, 0.5));
    expectPercentile(row.p95Ms, nearestRank(calls, 0.95));
  }
  const sizes = SIZES.slice(0, -1).flatMap((from, at) => {
    const to = SIZES[at + 1] ?? 0;
    const calls = own(asked).filter(({ result_bytes }) => result_bytes >= from && result_bytes < to);
    return calls.length === 0 ? [] : [{ from, to, calls }];
  });
  expect(bySize.map(({ fromBytes, toBytes, calls }) => [fromBytes, toBytes, calls])).toEqual(
    sizes.map(({ from, to, calls }) => [from, Number.isFinite(to) ? to : null, calls.length]),
  );
  for (const [at, row] of bySize.entries()) {
    expectPercentile(row.p50Ms, nearestRank(sizes[at]?.calls ?? [], 0.5));
    expectPercentile(row.p95Ms, nearestRank(sizes[at]?.calls ?? [], 0.95));
  }
});

const groupOf = ({ outcome, error_code, error_message, error_argument }: RawCall): string =>
  JSON.stringify([outcome, error_code, error_message, error_argument]);

describe('failure groups', () => {
  test.each(CASES)('of $name agree with a recount', async (asked) => {
    const { failures } = await ask(asked);
    const errors = failed(own(asked)) as RawCall[];
    const groups = groupBy(errors, groupOf);
    const followed = groupBy(followErrors(walkOf(asked)), ({ call }) => groupOf(call));
    expect(failures.length).toBe(groups.size);
    for (const group of failures) {
      const key = JSON.stringify([group.outcome, group.code, group.template, group.argument]);
      const mine = groups.get(key) ?? [];
      const { server, tool, filters } = asked;
      const ever = world.calls.filter(
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
        next: tally(followed.get(key) ?? []),
      });
      expect(micros(group.firstSeenAt)).toBe(firstUs);
      expect(micros(group.lastSeenAt)).toBe(Math.max(...mine.map(({ startedUs }) => startedUs)));
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
  test.each(CASES)('of $name agree with a recount', async (asked) => {
    const { versions } = await ask(asked);
    const { server, tool, filters } = asked;
    const inScope = world.listings.filter(
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
        world.listings
          .filter((one) => one.server_name === server && one.definition === mine[0]?.definition)
          .map(({ catalogue_hash }) => catalogue_hash),
      );
      const met = own(asked).filter(({ catalogue_hash }) => catalogues.has(catalogue_hash));
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
        errorRate: proportion(failed(met).length, met.length),
        triesPerSuccess: triesOf(met),
      });
      expect(micros(version.firstSeenAt)).toBe(Math.min(...mine.map(({ listedUs }) => listedUs)));
      expect(micros(version.lastSeenAt)).toBe(Math.max(...mine.map(({ listedUs }) => listedUs)));
    }
  });
});

test('a session that the range cuts counts with its calls of the range, and is left out of what came next', async () => {
  const [asked] = CASES;
  if (!asked) throw new Error('no case');
  const runs = groupBy(world.calls.filter(isCounted), sessionKey) as Map<string, RawCall[]>;
  const fromUs = asked.used.fromMs * 1_000;
  const cut = [...runs.values()].filter(
    (run) =>
      run.some(({ startedUs }) => startedUs < fromUs) && run.some(({ startedUs }) => startedUs >= fromUs),
  );
  expect(cut.length).toBeGreaterThan(0);
  expect(HOUR * 3).toBeLessThanOrEqual(asked.used.toMs - asked.used.fromMs);
});

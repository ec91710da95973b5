// The columns of the tools table and the lists of its tabs, against a walk through the same rows, over every range and filter.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdviceAnswer } from '../../../src/contract/advice.ts';
import { ToolColumnsAnswer } from '../../../src/contract/tool.ts';
import { expectResultTokens, micros, proportion } from './expect-figures.ts';
import { CASES, NOW, type OpenWorld, openRawWorld, RANGES } from './open-raw-world.ts';
import type { RawCall } from './raw-row.ts';
import { failed, groupBy, sessionKey, toolCalls, within } from './recount.ts';
import { followErrors, isInLoop, sequencesOf, tally, type Walk } from './recount-order.ts';

let world: OpenWorld;

beforeAll(async () => {
  world = await openRawWorld(5);
});

afterAll(() => world.stop());

type Case = (typeof CASES)[number];

const walkOf = ({ used, filters }: Pick<Case, 'used' | 'filters'>): Walk => ({
  calls: world.calls,
  span: used,
  filters,
  nowMs: NOW,
});
const countedIn = ({ used, filters }: Case) => toolCalls(world.calls, used, filters) as RawCall[];
const nameOf = ({ server, tool }: { server: string; tool: string }) => `${server}/${tool}`;
const nameOfCall = (call: RawCall) => `${call.server_name}/${call.tool_name}`;
/** Asked once for all that is looked at in it. */
const answers = new Map<string, Promise<ToolColumnsAnswer>>();
function askColumns({ name, range, filters }: Case): Promise<ToolColumnsAnswer> {
  const known = answers.get(name);
  if (known) return known;
  const asked = world.questions
    .toolColumns({ ...filters, range })
    .then((answer) => ToolColumnsAnswer.parse(answer));
  answers.set(name, asked);
  return asked;
}

/** A quarter of the characters of the definition that came last, of those that the newest listings have. */
function definitionTokens(name: string, { environment }: Case['filters']): number | null {
  const inScope = world.listings.filter(
    (one) => environment === undefined || one.environment === environment,
  );
  const own = inScope.filter((one) => `${one.server_name}/${one.tool_name}` === name);
  const isNewest = (one: (typeof own)[number]) =>
    inScope.every(
      (other) =>
        other.server_name !== one.server_name ||
        other.environment !== one.environment ||
        other.listedUs <= one.listedUs,
    );
  const current = own.filter(isNewest);
  const definitions = [...groupBy(own, ({ definition }) => definition)]
    .filter(([definition]) => current.length === 0 || current.some((one) => one.definition === definition))
    .sort(([, a], [, b]) => firstOf(a) - firstOf(b));
  const [definition] = definitions.at(-1) ?? [];
  return definition === undefined ? null : Math.ceil([...definition].length / 4);
}

const firstOf = (listings: readonly { readonly listedUs: number }[]): number =>
  Math.min(...listings.map(({ listedUs }) => listedUs));

describe('the columns of the tools table', () => {
  test.each(CASES)('agree with a recount over $name', async (asked) => {
    const { columns, range } = await askColumns(asked);
    expect(range).toEqual(asked.used);
    const called = groupBy(countedIn(asked), nameOfCall);
    const followed = groupBy(followErrors(walkOf(asked)), ({ call }) => nameOfCall(call));
    expect(columns.map(nameOf)).toEqual(expect.arrayContaining([...called.keys()]));
    for (const row of columns) {
      const own = called.get(nameOf(row)) ?? [];
      const ok = own.filter(({ outcome }) => outcome === 'ok').length;
      expect(row.errorRate, nameOf(row)).toEqual(proportion(failed(own).length, own.length));
      expect(row.triesPerSuccess, nameOf(row)).toBe(ok === 0 ? null : own.length / ok);
      expect(row.next, nameOf(row)).toEqual(tally(followed.get(nameOf(row)) ?? []));
      expect(mostFrequentCodes(own), nameOf(row)).toContain(row.topCode);
      expect(row.loopShare, nameOf(row)).toEqual(
        proportion(own.filter((call) => isInLoop(call, world.loops)).length, own.length),
      );
      expectResultTokens(row.resultTokensP95, own);
      expect(row.definitionTokens, nameOf(row)).toBe(definitionTokens(nameOf(row), asked.filters));
    }
  });
});

function mostFrequentCodes(own: readonly RawCall[]): string[] {
  const codes = [...groupBy(failed(own), ({ error_code }) => error_code)];
  const most = Math.max(0, ...codes.map(([, calls]) => calls.length));
  return most === 0 ? [''] : codes.filter(([, calls]) => calls.length === most).map(([code]) => code);
}

describe('sequences', () => {
  test.each(CASES)('agree with a recount over $name', async (asked) => {
    const { sequences } = await askColumns(asked);
    const { tool, ...filters } = asked.filters;
    const expected = sequencesOf({ ...walkOf(asked), filters }).filter(
      ({ tools }) => tool === undefined || tools.includes(tool),
    );
    const keyed = new Map(expected.map((one) => [JSON.stringify([one.server, one.tools]), one]));
    expect(sequences.length).toBe(Math.min(50, expected.length));
    for (const one of sequences) expect(one).toEqual(keyed.get(JSON.stringify([one.server, one.tools])));
    const counts = expected.map(({ count }) => count).sort((a, b) => b - a);
    expect(sequences.map(({ count }) => count)).toEqual(counts.slice(0, 50));
  });
});

describe('names that were asked for and are missing', () => {
  test.each(CASES)('agree with a recount over $name', async (asked) => {
    const { missing } = await askColumns(asked);
    const listed = new Set(world.listings.map((one) => `${one.server_name}/${one.tool_name}`));
    const unknown = countedIn(asked).filter(
      (call) => call.outcome === 'unknown_tool' && !listed.has(nameOfCall(call)),
    );
    const groups = groupBy(unknown, nameOfCall);
    expect(missing.map(nameOf).sort()).toEqual([...groups.keys()].sort());
    for (const row of missing) {
      const own = groups.get(nameOf(row)) ?? [];
      expect(row).toMatchObject({
        calls: own.length,
        sessions: new Set(own.filter(({ session_id }) => session_id !== '').map(sessionKey)).size,
        clients: [...new Set(own.map(({ client_name }) => client_name))].filter((name) => name !== '').sort(),
      });
      expect(micros(row.lastCalledAt)).toBe(Math.max(...own.map(({ startedUs }) => startedUs)));
    }
  });
});

describe('tools that were taken away', () => {
  test.each(CASES)('agree with a recount over $name', async (asked) => {
    const { removed } = await askColumns(asked);
    const { server, environment, tool } = asked.filters;
    const listings = world.listings.filter(
      (one) =>
        (server === undefined || one.server_name === server) &&
        (environment === undefined || one.environment === environment) &&
        (tool === undefined || one.tool_name === tool),
    );
    const newest = (of: string, where: string) =>
      Math.max(
        ...world.listings
          .filter((one) => one.server_name === of && one.environment === where)
          .map(({ listedUs }) => listedUs),
      );
    const groups = groupBy(listings, (one) => `${one.server_name}/${one.tool_name}`);
    const gone = [...groups].filter(([, own]) =>
      own.every((one) => one.listedUs < newest(one.server_name, one.environment)),
    );
    expect(removed.map(nameOf).sort()).toEqual(gone.map(([name]) => name).sort());
    for (const row of removed) {
      const own = groups.get(nameOf(row)) ?? [];
      const ever = world.calls.filter(
        (call) =>
          nameOfCall(call) === nameOf(row) &&
          (environment === undefined || call.environment === environment) &&
          call.side === 'server' &&
          call.method === 'tools/call' &&
          call.outcome !== 'input_required',
      );
      expect(row.calls).toBe(countedIn(asked).filter((call) => nameOfCall(call) === nameOf(row)).length);
      expect(micros(row.firstSeenAt)).toBe(Math.min(...own.map(({ listedUs }) => listedUs)));
      expect(micros(row.lastListedAt)).toBe(Math.max(...own.map(({ listedUs }) => listedUs)));
      expect(micros(row.lastCalledAt ?? '')).toBe(Math.max(...ever.map(({ startedUs }) => startedUs)));
    }
  });
});

describe('the rates of advice', () => {
  test.each(CASES)('agree with a recount over $name', async (asked) => {
    const { range, filters } = asked;
    const answer = AdviceAnswer.parse(await world.questions.advice({ ...filters, range, state: 'open' }));
    const counted = countedIn(asked);
    const refused = counted.filter(
      ({ outcome, fault }) =>
        outcome === 'invalid_arguments' ||
        outcome === 'unknown_tool' ||
        (outcome === 'protocol_error' && fault === 'client'),
    );
    expect(answer.correctCallRate).toEqual(proportion(counted.length - refused.length, counted.length));
    const { recovered, n } = tally(followErrors(walkOf(asked)));
    expect(answer.errorRecoveryRate).toEqual(proportion(recovered, n));
  });
});

test('the made-up fortnight holds what these figures go wrong over', () => {
  const [, over, day] = RANGES;
  const followed = followErrors(walkOf({ used: day?.used ?? { fromMs: 0, toMs: 0 }, filters: {} }));
  const counts = tally(followed);
  for (const n of Object.values(counts)) expect(n).toBeGreaterThan(20);
  const runs = groupBy(world.calls, sessionKey);
  const cuts = [...runs.values()].filter(
    (own) =>
      over && own.some((call) => within(call, over.used)) && !own.every((call) => within(call, over.used)),
  );
  expect(cuts.length).toBeGreaterThan(5);
  expect(world.calls.some((call) => isInLoop(call, world.loops))).toBe(true);
});

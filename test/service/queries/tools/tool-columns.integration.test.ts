// The columns of the tools table and the lists of its tabs, against a walk through the same rows, over every range and filter.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdviceResponse } from '../../../../src/contract/advice.ts';
import { ToolColumnsResponse } from '../../../../src/contract/tool.ts';
import type { DatasetCall } from '../../../support/dataset/dataset.ts';
import {
  DATASET_CASES,
  NOW,
  type OpenDataset,
  openDataset,
  RANGES,
} from '../../../support/dataset/open-dataset.ts';
import {
  countConfusedCalls,
  countNextSteps,
  findSequences,
  followErrors,
  isInLoop,
  isWrongCall,
  type OrderInput,
} from '../../../support/oracle/call-order.ts';
import { failedCalls, groupBy, isWithin, sessionKey, toolCalls } from '../../../support/oracle/call-stats.ts';
import { expectedProportion, expectResultTokens, toEpochUs } from '../../../support/oracle/expect-stats.ts';
import { followResults } from '../../../support/oracle/result-use.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(5);
});

afterAll(() => dataset.stop());

type Case = (typeof DATASET_CASES)[number];

const toOrderInput = ({ used, filters }: Pick<Case, 'used' | 'filters'>): OrderInput => ({
  calls: dataset.calls,
  span: used,
  filters,
  nowMs: NOW,
});
const callsOf = ({ used, filters }: Case) => toolCalls(dataset.calls, used, filters) as DatasetCall[];
const nameOf = ({ server, tool }: { server: string; tool: string }) => `${server}/${tool}`;
const nameOfCall = (call: DatasetCall) => `${call.server_name}/${call.tool_name}`;
/** Asked once for all that is looked at in it. */
const responses = new Map<string, Promise<ToolColumnsResponse>>();
function getColumns({ name, range, filters }: Case): Promise<ToolColumnsResponse> {
  const known = responses.get(name);
  if (known) return known;
  const response = dataset.questions
    .toolColumns({ ...filters, range })
    .then((answer) => ToolColumnsResponse.parse(answer));
  responses.set(name, response);
  return response;
}

/** A quarter of the characters of the definition that came last, of those that the newest listings have. */
function definitionTokens(name: string, { environment }: Case['filters']): number | null {
  const inScope = dataset.listings.filter(
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

describe('columns of the tools table', () => {
  test.each(sampleCases(DATASET_CASES, 4))(
    'the columns of the tools table agree with the oracle over $name',
    async (asked) => {
      const { columns, range } = await getColumns(asked);
      expect(range).toEqual(asked.used);
      const called = groupBy(callsOf(asked), nameOfCall);
      const followed = groupBy(followErrors(toOrderInput(asked)), ({ call }) => nameOfCall(call));
      const results = groupBy(followResults(toOrderInput(asked)), ({ call }) => nameOfCall(call));
      expect(columns.map(nameOf)).toEqual(expect.arrayContaining([...called.keys()]));
      for (const row of columns) {
        const own = called.get(nameOf(row)) ?? [];
        const ok = own.filter(({ outcome }) => outcome === 'ok').length;
        expect(row.errorRate, nameOf(row)).toEqual(expectedProportion(failedCalls(own).length, own.length));
        const confused = countConfusedCalls(toOrderInput(asked), (call) => nameOfCall(call) === nameOf(row));
        const wrong = own.filter(isWrongCall).length + confused;
        expect(row.correctCallRate, nameOf(row)).toEqual(expectedProportion(own.length - wrong, own.length));
        const given = results.get(nameOf(row)) ?? [];
        const used = given.filter(({ isUsed }) => isUsed).length;
        expect(row.resultUse, nameOf(row)).toEqual(expectedProportion(used, given.length));
        expect(row.triesPerSuccess, nameOf(row)).toBe(ok === 0 ? null : own.length / ok);
        expect(row.next, nameOf(row)).toEqual(countNextSteps(followed.get(nameOf(row)) ?? []));
        expect(mostFrequentCodes(own), nameOf(row)).toContain(row.topCode);
        expect(row.loopShare, nameOf(row)).toEqual(
          expectedProportion(own.filter((call) => isInLoop(call, dataset.loops)).length, own.length),
        );
        expectResultTokens(row.resultTokensP95, own);
        expect(row.definitionTokens, nameOf(row)).toBe(definitionTokens(nameOf(row), asked.filters));
      }
    },
  );
});

function mostFrequentCodes(own: readonly DatasetCall[]): string[] {
  const codes = [...groupBy(failedCalls(own), ({ error_code }) => error_code)];
  const most = Math.max(0, ...codes.map(([, calls]) => calls.length));
  return most === 0 ? [''] : codes.filter(([, calls]) => calls.length === most).map(([code]) => code);
}

describe('sequences', () => {
  test.each(sampleCases(DATASET_CASES, 4))(
    'the sequences of tools agree with the oracle over $name',
    async (asked) => {
      const { sequences } = await getColumns(asked);
      const { tool, ...filters } = asked.filters;
      const expected = findSequences({ ...toOrderInput(asked), filters }).filter(
        ({ tools }) => tool === undefined || tools.includes(tool),
      );
      const keyed = new Map(expected.map((one) => [JSON.stringify([one.server, one.tools]), one]));
      expect(sequences.length).toBe(Math.min(50, expected.length));
      for (const one of sequences) expect(one).toEqual(keyed.get(JSON.stringify([one.server, one.tools])));
      const counts = expected.map(({ count }) => count).sort((a, b) => b - a);
      expect(sequences.map(({ count }) => count)).toEqual(counts.slice(0, 50));
    },
  );
});

describe('missing names', () => {
  test.each(sampleCases(DATASET_CASES, 4))(
    'the requested but missing tool names agree with the oracle over $name',
    async (asked) => {
      const { missing } = await getColumns(asked);
      const listed = new Set(dataset.listings.map((one) => `${one.server_name}/${one.tool_name}`));
      const unknown = callsOf(asked).filter(
        (call) => call.outcome === 'unknown_tool' && !listed.has(nameOfCall(call)),
      );
      const groups = groupBy(unknown, nameOfCall);
      expect(missing.map(nameOf).sort()).toEqual([...groups.keys()].sort());
      for (const row of missing) {
        const own = groups.get(nameOf(row)) ?? [];
        expect(row).toMatchObject({
          calls: own.length,
          sessions: new Set(own.filter(({ session_id }) => session_id !== '').map(sessionKey)).size,
          clients: [...new Set(own.map(({ client_name }) => client_name))]
            .filter((name) => name !== '')
            .sort(),
        });
        expect(toEpochUs(row.lastCalledAt)).toBe(Math.max(...own.map(({ startedUs }) => startedUs)));
      }
    },
  );
});

describe('removed tools', () => {
  test.each(sampleCases(DATASET_CASES, 4))(
    'the removed tools agree with the oracle over $name',
    async (asked) => {
      const { removed } = await getColumns(asked);
      const { server, environment, tool } = asked.filters;
      const listings = dataset.listings.filter(
        (one) =>
          (server === undefined || one.server_name === server) &&
          (environment === undefined || one.environment === environment) &&
          (tool === undefined || one.tool_name === tool),
      );
      const newest = (of: string, where: string) =>
        Math.max(
          ...dataset.listings
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
        const ever = dataset.calls.filter(
          (call) =>
            nameOfCall(call) === nameOf(row) &&
            (environment === undefined || call.environment === environment) &&
            call.side === 'server' &&
            call.method === 'tools/call' &&
            call.outcome !== 'input_required',
        );
        expect(row.calls).toBe(callsOf(asked).filter((call) => nameOfCall(call) === nameOf(row)).length);
        expect(toEpochUs(row.firstSeenAt)).toBe(Math.min(...own.map(({ listedUs }) => listedUs)));
        expect(toEpochUs(row.lastListedAt)).toBe(Math.max(...own.map(({ listedUs }) => listedUs)));
        expect(toEpochUs(row.lastCalledAt ?? '')).toBe(Math.max(...ever.map(({ startedUs }) => startedUs)));
      }
    },
  );
});

describe('rates of advice', () => {
  test.each(sampleCases(DATASET_CASES, 4))(
    'the rates of advice agree with the oracle over $name',
    async (asked) => {
      const { range, filters } = asked;
      const answer = AdviceResponse.parse(
        await dataset.questions.advice({ ...filters, range, state: 'open' }),
      );
      const counted = callsOf(asked);
      const wrong = counted.filter(isWrongCall).length + countConfusedCalls(toOrderInput(asked));
      expect(answer.correctCallRate).toEqual(expectedProportion(counted.length - wrong, counted.length));
      const { recovered, n } = countNextSteps(followErrors(toOrderInput(asked)));
      expect(answer.errorRecoveryRate).toEqual(expectedProportion(recovered, n));
    },
  );
});

test('the dataset contains the cases that these numbers could get wrong', () => {
  const [, over, day] = RANGES;
  const followed = followErrors(toOrderInput({ used: day?.used ?? { fromMs: 0, toMs: 0 }, filters: {} }));
  const counts = countNextSteps(followed);
  for (const n of Object.values(counts)) expect(n).toBeGreaterThan(20);
  const runs = groupBy(dataset.calls, sessionKey);
  const cuts = [...runs.values()].filter(
    (own) =>
      over &&
      own.some((call) => isWithin(call, over.used)) &&
      !own.every((call) => isWithin(call, over.used)),
  );
  expect(cuts.length).toBeGreaterThan(5);
  expect(dataset.calls.some((call) => isInLoop(call, dataset.loops))).toBe(true);
});

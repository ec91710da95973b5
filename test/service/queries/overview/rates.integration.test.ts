// Correct calls, recovery and the use of results, in total, by client, version and definition, and over time: against a walk through
// the same rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Rates, RatesResponse } from '../../../../src/contract/rates.ts';
import { SERIES_KEYS, SeriesResponse } from '../../../../src/contract/series.ts';
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
  type FollowedError,
  followErrors,
  isWrongCall,
  type OrderInput,
} from '../../../support/oracle/call-order.ts';
import { groupBy, isWithin, toolCalls } from '../../../support/oracle/call-stats.ts';
import { expectedProportion } from '../../../support/oracle/expect-stats.ts';
import { type FollowedResult, followResults } from '../../../support/oracle/result-use.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(23);
});

afterAll(() => dataset.stop());

type Case = Pick<(typeof DATASET_CASES)[number], 'name' | 'range' | 'used' | 'filters'>;

const toOrderInput = ({ used, filters }: Case): OrderInput => ({
  ...{ calls: dataset.calls, span: used, filters, nowMs: NOW },
});
const getRates = async ({ range, filters }: Case) =>
  RatesResponse.parse(await dataset.questions.rates({ ...filters, range }));

const correctOf = (calls: readonly DatasetCall[]) =>
  expectedProportion(calls.length - calls.filter(isWrongCall).length, calls.length);
const recoveryOf = (errors: readonly FollowedError[]) =>
  expectedProportion(errors.filter(({ hasRecovered }) => hasRecovered).length, errors.length);

const resultUseOf = (results: readonly FollowedResult[]) =>
  expectedProportion(results.filter(({ isUsed }) => isUsed).length, results.length);

/** The rates of each group, by its name. */
function groupRates(asked: Case, nameOf: (call: DatasetCall) => string): Map<string, object> {
  const errors = groupBy(followErrors(toOrderInput(asked)), ({ call }) => nameOf(call));
  const results = groupBy(followResults(toOrderInput(asked)), ({ call }) => nameOf(call));
  const calls = groupBy(toolCalls(dataset.calls, asked.used, asked.filters) as DatasetCall[], nameOf);
  return new Map(
    [...calls].map(([name, own]) => [
      name,
      {
        correctCalls: correctOf(own),
        recovery: recoveryOf(errors.get(name) ?? []),
        resultUse: resultUseOf(results.get(name) ?? []),
      },
    ]),
  );
}

const byName = <Row extends Rates>(rows: readonly Row[], nameOf: (row: Row) => string) =>
  new Map(
    rows.map((row) => {
      const { correctCalls, recovery, resultUse } = row;
      return [nameOf(row), { correctCalls, recovery, resultUse }];
    }),
  );

describe('rates', () => {
  test.each(sampleCases(DATASET_CASES, 5))('the rates agree with the oracle over $name', async (asked) => {
    const { filters } = asked;
    const answer = await getRates(asked);
    expect(answer.range).toEqual(asked.used);
    expect(answer.counted).toEqual(asked.used);
    const calls = toolCalls(dataset.calls, asked.used, filters) as DatasetCall[];
    const wrong = calls.filter(isWrongCall).length + countConfusedCalls(toOrderInput(asked));
    expect(answer.correctCalls).toEqual(expectedProportion(calls.length - wrong, calls.length));
    expect(answer.recovery).toEqual(recoveryOf(followErrors(toOrderInput(asked))));
    const results = followResults(toOrderInput(asked));
    expect(answer.resultUse).toEqual(resultUseOf(results));
    expect(results.some(({ isUsed }) => isUsed)).toBe(true);
    // What comes next is looked for whatever the tool, client, version and plan.
    const ordered = toolCalls(dataset.calls, asked.used, {
      ...(filters.server && { server: filters.server }),
      ...(filters.environment && { environment: filters.environment }),
    });
    expect(answer.sequence).toEqual({ calls: ordered.length, isWhole: true });
    expect(byName(answer.byClient, ({ client }) => client)).toEqual(
      groupRates(asked, ({ client_name }) => client_name),
    );
    expect(byName(answer.byVersion, ({ server: of, version }) => `${of} ${version}`)).toEqual(
      groupRates(asked, ({ server_name, server_version }) => `${server_name} ${server_version}`),
    );
    expect(answer.byDefinition).toEqual([]);
  });

  test.each(RANGES)(
    'the rates of each definition of a tool agree with the oracle over $name',
    async (asked) => {
      const filters = { server: 'notes', tool: 'search_notes' };
      const listed = dataset.listings.filter(
        ({ server_name, tool_name }) => server_name === 'notes' && tool_name === 'search_notes',
      );
      const definitionOf = ({ catalogue_hash }: DatasetCall): string => {
        const found = listed.find((listing) => listing.catalogue_hash === catalogue_hash);
        return found === undefined ? '' : BigInt(found.definition_hash).toString(16).padStart(16, '0');
      };
      const answer = await getRates({ ...asked, filters });
      const expected = groupRates({ ...asked, filters }, definitionOf);
      expect(expected.size).toBeGreaterThan(1);
      expect(byName(answer.byDefinition, ({ definitionHash }) => definitionHash)).toEqual(expected);
    },
  );
});

const SERIES_CASES = RANGES.flatMap((range) =>
  SERIES_KEYS.map((by) => ({ ...range, name: `${by} over ${range.name}`, by })),
);

describe('recovery over time', () => {
  test.each(sampleCases(SERIES_CASES, 4))(
    'the recovery rate by $name agrees with the oracle',
    async ({ by, ...asked }) => {
      const query = { range: asked.range, metric: 'recoveryRate', by, compare: 'prev' } as const;
      const { series, bucketSeconds } = SeriesResponse.parse(await dataset.questions.series(query));
      const errors = followErrors(toOrderInput({ ...asked, filters: {} }));
      const lines = groupBy(errors, ({ call }) => toLineName(call, by));
      expect(series.length).toBe(Math.min(8, lines.size));
      for (const { key, points } of series) {
        const own = lines.get(key) ?? [];
        expect(own.length, key).toBeGreaterThan(0);
        expect(points.reduce((sum, [, , n]) => sum + n, 0)).toBe(own.length);
        for (const [at, value, n] of points) {
          const bucket = { fromMs: at, toMs: at + bucketSeconds * 1_000 };
          const inBucket = own.filter(({ call }) => isWithin(call, bucket));
          const recovered = inBucket.filter(({ hasRecovered }) => hasRecovered).length;
          expect(n).toBe(inBucket.length);
          if (n === 0) expect(value).toBeNull();
          else expect(value).toBeCloseTo(recovered / n, 12);
        }
      }
    },
  );
});

describe('use of results over time', () => {
  const cases = SERIES_CASES.filter(({ by }) => by !== 'code');
  test.each(sampleCases(cases, 3))(
    'the use of results by $name agrees with the oracle',
    async ({ by, ...asked }) => {
      const query = { range: asked.range, metric: 'resultUseRate', by } as const;
      const { series, bucketSeconds } = SeriesResponse.parse(await dataset.questions.series(query));
      const results = followResults(toOrderInput({ ...asked, filters: {} }));
      const lines = groupBy(results, ({ call }) => toLineName(call, by));
      expect(series.length).toBe(Math.min(8, lines.size));
      for (const { key, points } of series) {
        const expected = points.map(([at]) => {
          const bucket = { fromMs: at, toMs: at + bucketSeconds * 1_000 };
          const own = (lines.get(key) ?? []).filter(({ call }) => isWithin(call, bucket));
          const used = own.filter(({ isUsed }) => isUsed).length;
          return [at, own.length === 0 ? null : expect.closeTo(used / own.length, 12), own.length];
        });
        expect(points, key).toEqual(expected);
      }
    },
  );

  test('the use of results by error code is refused, because successes have none', async () => {
    const query = { range: RANGES[0]!.range, metric: 'resultUseRate', by: 'code' } as const;
    await expect(dataset.questions.series(query)).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      field: 'by',
    });
  });
});

function toLineName({ server_name, tool_name, error_code }: DatasetCall, by: SeriesQueryKey): string {
  if (by === 'code') return error_code;
  return by === 'server' ? server_name : `${server_name}/${tool_name}`;
}

type SeriesQueryKey = (typeof SERIES_KEYS)[number];

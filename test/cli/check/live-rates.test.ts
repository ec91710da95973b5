// Which rates fail a build: those that are below their limit with certainty.
import { expect, test } from 'vitest';
import { evaluateRates, type LiveRates, type RateResult } from '../../../src/cli/check/live-rates.ts';
import { toProportion } from '../../../src/service/queries/query/proportion.ts';

const ratesOf = (used: number, results: number): LiveRates => ({
  correctCalls: toProportion(90, 100),
  recovery: toProportion(40, 80),
  resultUse: toProportion(used, results),
});

test.each<[used: number, results: number, result: RateResult['result'], because: string]>([
  [40, 100, 'passed', 'forty percent are at least thirty'],
  [25, 100, 'uncertain', 'its interval ends at 34 percent'],
  [10, 100, 'failed', 'its interval ends at 18 percent'],
  [1, 49, 'too_few', 'fifty results are needed'],
  [0, 0, 'too_few', 'a server that says nothing of its results is not judged'],
])('%i of %i results that fed later calls, with a limit of 30 percent: %s, because %s', (used, n, result) => {
  const limits = { correctCalls: undefined, recovery: undefined, resultUse: 0.3, minCalls: 50 };
  expect(evaluateRates(ratesOf(used, n), limits)).toMatchObject([
    { rate: 'resultUse', result, n, limit: 0.3 },
  ]);
});

test('each limit is evaluated by itself', () => {
  const limits = { correctCalls: 0.92, recovery: 0.7, resultUse: undefined, minCalls: 50 };
  expect(evaluateRates(ratesOf(0, 0), limits).map(({ rate, result }) => [rate, result])).toEqual([
    ['correctCalls', 'uncertain'],
    ['recovery', 'failed'],
  ]);
});

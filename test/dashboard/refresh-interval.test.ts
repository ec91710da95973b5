// How soon an open page asks again: by what its answers cost, and whether anything has changed since.
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, test } from 'vitest';
import { isRefreshDue, recordCost, toRefreshInterval } from '../../dashboard/src/api/refresh-interval.ts';

describe('the average interval of a refresh', () => {
  test.each([
    ['summary', 0, 2_000, 'an answer that cost nothing is fetched again as soon as any'],
    ['summary', 50, 3_000, 'the head of a page may take a sixtieth of a core'],
    ['summary', 5_000, 30_000, 'the head of a live page never waits for longer'],
    ['changes', 5_000, 120_000, 'nor does a panel for more than two minutes'],
    ['changes', 50, 50_000, 'one of many panels may take a thousandth'],
    ['chosen range', 0, 2_000, 'a query without a resource has no cost'],
  ])('%s that cost %i ms is fetched every %i ms, because %s', (resource, costMs, expected, _because) => {
    expect(toRefreshInterval(resource, costMs)).toBe(expected);
  });
});

const START_MS = 1_000_000;

/** A query that was answered so many times, two seconds apart, the last time at the start. */
function createQuery({ costMs, answers = 1 }: { readonly costMs: number; readonly answers?: number }) {
  const client = new QueryClient();
  client.setQueryData(['tools', {}], { tools: [] }, { updatedAt: START_MS });
  const query = client.getQueryCache().find({ queryKey: ['tools', {}] });
  if (!query) throw new Error('The query is not there.');
  for (let left = answers - 1; left >= 0; left -= 1) recordCost(query, costMs, START_MS - left * 2_000);
  return query;
}

describe('a query whose calls have changed', () => {
  test.each([
    [50, 1, 1_999, false, 'no query is fetched more often than every two seconds'],
    [50, 1, 2_000, true, 'the first new calls appear at once'],
    [50, 3, 25_999, false, 'three answers have used up 150 seconds, of which four have passed'],
    [50, 3, 26_000, true, 'two minutes of them may be used in advance'],
    [1, 30, 2_000, true, 'a cheap answer is always fetched again'],
  ])(
    'cost %i ms, was answered %i times and is due after %i ms: %s, because %s',
    (costMs, answers, afterMs, isDue) => {
      const state = { nowMs: START_MS + afterMs, changedAtMs: START_MS + 1 };
      expect(isRefreshDue(createQuery({ costMs, answers }), state)).toBe(isDue);
    },
  );

  test('an answer from rows that another query has read does not make it cheap at once', () => {
    const query = createQuery({ costMs: 100, answers: 2 });
    recordCost(query, 0, START_MS + 2_000);
    const at = (ms: number) => isRefreshDue(query, { nowMs: START_MS + ms, changedAtMs: START_MS + 1 });
    // Twice 100 seconds, then 80: all but two minutes of them have to pass, and four seconds have.
    expect([at(157_999), at(158_000)]).toEqual([false, true]);
  });
});

describe('a query without changes since its answer', () => {
  test.each([
    [0, 29_999, -2_001, false, 'a range that ends now moves slowly'],
    [0, 30_000, -2_001, true, 'it does move'],
    [10, 99_999, -2_001, false, 'what costs more is fetched more rarely'],
    [10, 100_000, -2_001, true, 'ten of its intervals have passed'],
    [500, 300_000, -2_001, true, 'five minutes have passed'],
    [10, 2_000, -1_000, true, 'the answer was on its way when the calls arrived'],
  ])(
    'cost %i ms, and after %i ms, with a change at %i: %s, because %s',
    (costMs, afterMs, changedMs, isDue) => {
      const state = { nowMs: START_MS + afterMs, changedAtMs: START_MS + changedMs };
      expect(isRefreshDue(createQuery({ costMs }), state)).toBe(isDue);
    },
  );
});

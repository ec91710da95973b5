// Prepares the chart of what guards did: one line for each verdict that occurs.
import type { GuardResponse } from '../../../../src/contract/guard.ts';
import { middleOf, prepareBucketGrid } from '../../charts/prepare-lines.ts';
import { prepareScale } from '../../charts/prepare-scale.ts';
import type { PreparedChart, PreparedLine } from '../../charts/prepared-chart.ts';
import { GUARD_LABELS } from '../../format/describe-guard.ts';
import { formatCount, NO_VALUE } from '../../format/format-number.ts';

/** Each verdict keeps its colour whether or not the others occur. */
const LINES = [
  { field: 'blocked', verdict: 'blocked', slot: 1 },
  { field: 'wouldBlock', verdict: 'would_block', slot: 2 },
  { field: 'nudged', verdict: 'nudged', slot: 3 },
] as const;

/** Whether a guard acted on a call. */
export function hasVerdicts({ totals: { blocked, wouldBlock, nudged } }: GuardResponse): boolean {
  return blocked + wouldBlock + nudged > 0;
}

/** @param nowMs when the response arrived */
export function prepareGuardChart(response: GuardResponse, nowMs: number): PreparedChart {
  const { range, counted, bucketSeconds, points, totals } = response;
  const grid = prepareBucketGrid({ range: counted ?? range, bucketSeconds }, nowMs);
  const known = new Map(points.map((point) => [point.atMs, point]));
  const lines = LINES.filter(({ field }) => totals[field] > 0).map(
    ({ field, verdict, slot }): PreparedLine => ({
      key: verdict,
      label: GUARD_LABELS[verdict].text,
      slot,
      points: grid.starts.map((start) => {
        const value = known.get(start)?.[field] ?? 0;
        return { atMs: middleOf(start, grid), value, n: value };
      }),
    }),
  );
  const largest = Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)));
  return {
    ...grid,
    ...prepareScale(largest),
    lines,
    omittedLines: 0,
    hasLineLabels: true,
    flagsFewCalls: false,
    raw: { name: 'calls', times: 1 },
    format: (value) => (value === null ? NO_VALUE : formatCount(value)),
  };
}

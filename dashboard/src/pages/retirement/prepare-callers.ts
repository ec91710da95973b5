// Prepares the chart of the calls of a tool and of its successor: a line for each of the callers with the most
// calls, and one for all others.
import type { RetirementCaller, RetirementResponse } from '../../../../src/contract/retirements.ts';
import { findLargestValue, middleOf, prepareBucketGrid } from '../../charts/prepare-lines.ts';
import { prepareScale } from '../../charts/prepare-scale.ts';
import type { PreparedChart, PreparedLine } from '../../charts/prepared-chart.ts';
import { formatCount, NO_VALUE } from '../../format/format-number.ts';
import { formatCaller } from './describe-retirement.ts';

const DAY_SECONDS = 86_400;
const MAX_LINES = 6;

/** The colour of a caller's line; 0 for those that share the line of all others. @param at its place among the callers */
export function toCallerSlot(at: number): number {
  return at < MAX_LINES ? at + 1 : 0;
}

/** @param nowMs when the response arrived */
export function prepareCallersChart({ counted, callers }: RetirementResponse, nowMs: number): PreparedChart {
  const grid = prepareBucketGrid({ range: counted, bucketSeconds: DAY_SECONDS }, nowMs);
  const toLine = (own: readonly RetirementCaller[], label: string, slot: number): PreparedLine => ({
    ...{ key: label, label, slot },
    points: grid.starts.map((start) => {
      const value = countCalls(own, start);
      return { atMs: middleOf(start, grid), value, n: value };
    }),
  });
  const others = callers.slice(MAX_LINES);
  const lines = [
    ...(others.length > 0 ? [toLine(others, 'others', 0)] : []),
    ...callers.slice(0, MAX_LINES).map((caller, at) => toLine([caller], formatLine(caller), at + 1)),
  ];
  return {
    ...grid,
    ...prepareScale(findLargestValue(lines)),
    lines,
    omittedLines: 0,
    hasLineLabels: false,
    flagsFewCalls: false,
    raw: { name: 'calls', times: 1 },
    format: (value) => (value === null ? NO_VALUE : formatCount(value)),
  };
}

const formatLine = (caller: RetirementCaller): string => `${caller.tool} · ${formatCaller(caller)}`;

function countCalls(callers: readonly RetirementCaller[], dayMs: number): number {
  return callers
    .flatMap(({ days }) => days)
    .reduce((sum, { atMs, calls }) => sum + (atMs === dayMs ? calls : 0), 0);
}

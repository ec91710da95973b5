// Prepares the chart of results over time, and of those that fed a later call.
import type { ResultUseResponse } from '../../../../src/contract/result-use.ts';
import { findLargestValue, middleOf, prepareBucketGrid } from '../../charts/prepare-lines.ts';
import { prepareScale } from '../../charts/prepare-scale.ts';
import type { PreparedChart, PreparedLine } from '../../charts/prepared-chart.ts';
import { formatCount, NO_VALUE } from '../../format/format-number.ts';

type UsePoint = ResultUseResponse['points'][number];

/** @param nowMs when the response arrived */
export function prepareUseChart(response: ResultUseResponse, nowMs: number): PreparedChart {
  const grid = prepareBucketGrid(response, nowMs);
  const known = new Map(response.points.map((point) => [point.atMs, point]));
  const toLine = (label: string, slot: number, countOf: (point: UsePoint) => number): PreparedLine => ({
    ...{ key: label, label, slot },
    points: grid.starts.map((start) => {
      const point = known.get(start);
      const value = point === undefined ? 0 : countOf(point);
      return { atMs: middleOf(start, grid), value, n: value };
    }),
  });
  const lines = [
    toLine('results', 0, ({ results }) => results),
    toLine('fed later calls', 1, ({ used }) => used),
  ];
  return {
    ...grid,
    ...prepareScale(findLargestValue(lines)),
    lines,
    omittedLines: 0,
    hasLineLabels: true,
    flagsFewCalls: false,
    raw: { name: 'results', times: 1 },
    format: (value) => (value === null ? NO_VALUE : formatCount(value)),
  };
}

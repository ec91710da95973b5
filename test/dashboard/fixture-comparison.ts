// Two versions compared, as the fixture server answers: the tool `move` fails more.
import type { ComparisonResponse } from '../../src/contract/comparison.ts';
import type { ResourceRequest } from '../../src/contract/queries.ts';
import {
  compareShares,
  compareTool,
  NO_CALLS,
  type SideStats,
} from '../../src/service/queries/comparison/compare-sides.ts';

const toSide = (calls: number, errors: number): SideStats => ({
  ...NO_CALLS,
  ...{ calls, errors, codes: new Map([['CONFLICT', errors]]) },
});

export function createComparison({
  server,
  range,
  before = '1.4.2',
  after = '1.4.3',
}: ResourceRequest<'comparison'>): ComparisonResponse {
  const move = compareTool('move', { before: toSide(410, 12), after: toSide(300, 36) });
  const same = { hits: 380, n: 400 };
  const rate = compareShares({ before: same, after: same }, 'higher');
  return {
    ...{ server, before: { range, version: before }, after: { range, version: after }, verdict: 'worse' },
    sentence: `${after} against ${before}: worse. move fails in 12 % of 300 calls instead of 2.9 % of 410.`,
    ...{ total: { ...move, tool: '' }, tools: [move], correctCalls: rate, recovery: rate },
    ...{
      loops: { before: 1, after: 1, verdict: 'no_difference' },
      definitionTokens: { before: 412, after: 380 },
    },
  };
}

// TD037: long lists without a word about the rest.

import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { LONG_LIST_ROWS, MIN_FAILURES } from '../tool-errors.ts';

export const unpagedList: TrafficRule = {
  id: 'TD037',
  level: 'note',
  title: 'Long list without a cursor',
  condition: `At least ${MIN_FAILURES} results have a list of more than ${LONG_LIST_ROWS} rows and no field for a cursor, a total or whether there is more.`,
  disprovedBy: 'The list is always complete, and agents use all of it.',
  check: ({ evidence: { tool, results } }) => {
    const { measured, longLists = 0 } = results;
    if (longLists < MIN_FAILURES) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(longLists, measured, 'result')} of "${tool}" have more than ${LONG_LIST_ROWS} rows, and nothing says whether there are more.`,
        counts: { results: measured, longLists },
        calls: { tool },
        suggestion: 'Return fewer rows by default, with `total`, `has_more` and a `next_cursor`.',
      },
    ];
  },
};

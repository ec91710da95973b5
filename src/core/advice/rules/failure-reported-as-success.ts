// TD023: a failure with `isError: false`. Clients, dashboards and agents all take it for a success.

import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';

export const failureReportedAsSuccess: TrafficRule = {
  id: 'TD023',
  level: 'warning',
  title: 'Failure told as success',
  condition: `At least ${MIN_FAILURES} results say in text or structure that the call failed, without \`isError\`.`,
  disprovedBy: 'Those results are about errors (a log, a report) and none themselves.',
  check: ({ evidence: { tool, calls, results } }): Observation[] => {
    const { errorInResult } = results;
    if (errorInResult < MIN_FAILURES) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(errorInResult, calls)} of "${tool}" answer with an error and without \`isError\`.`,
        evidence: { counts: { calls, errorInResult }, names: {}, calls: { tool } },
        suggestion: { text: 'Set `isError: true` on those results, and give them a code.', edits: [] },
        callsLost: errorInResult,
      },
    ];
  },
};

// TD022: some items failed, and the call was told as a success. An agent that reads the first line goes on.

import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';

export const partialFailure: TrafficRule = {
  id: 'TD022',
  level: 'warning',
  title: 'Partial failure told as success',
  condition: `At least ${MIN_FAILURES} successful results say that some of their items failed.`,
  disprovedBy: 'Agents do take up the failed items afterwards.',
  check: ({ evidence: { tool, results } }): Observation[] => {
    const { partialFailures, measured } = results;
    if (partialFailures < MIN_FAILURES) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(partialFailures, measured, 'result')} of "${tool}" are successes of which some items failed.`,
        evidence: { counts: { results: measured, partialFailures }, names: {}, calls: { tool } },
        suggestion: {
          text: 'Say first how many failed and which, in fields of their own (`succeeded`, `failed`), with a code for each; set `isError` when none succeeded.',
          edits: [],
        },
        callsLost: partialFailures,
      },
    ];
  },
};

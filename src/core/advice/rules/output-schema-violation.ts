// TD025: results that break the tool's own output schema. SDKs turn them into errors, on the server or in the client.

import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';

export const outputSchemaViolation: TrafficRule = {
  id: 'TD025',
  level: 'error',
  title: 'Output schema violated',
  condition: 'A result did not fit the output schema the tool declares.',
  disprovedBy: 'The schema that was listed when the calls were made was another.',
  check: ({ evidence: { tool, calls, results, failures } }): Observation[] => {
    const { violations } = results;
    if (violations === 0) return [];
    const paths = failures.filter(({ outcome, argument }) => outcome === 'invalid_output' && argument !== '');
    return [
      {
        tool,
        finding: `${formatShareOf(violations, calls)} of "${tool}" answered with what its output schema does not allow.`,
        evidence: {
          counts: { calls, violations },
          names: { fields: [...new Set(paths.map(({ argument }) => argument))] },
          calls: { tool, outcome: 'invalid_output' },
        },
        suggestion: {
          text: 'Mend the result or the schema; a field that may be absent must not be `required`.',
          edits: [],
        },
        callsLost: violations,
      },
    ];
  },
};

// TD024: JSON squeezed into text. It costs escaping, and nobody can validate it.

import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_CALLS } from '../thresholds.ts';

const MIN_SHARE_JSON = 0.8;

export const unstructuredResult: TrafficRule = {
  id: 'TD024',
  level: 'note',
  title: 'JSON in text',
  condition: `At least ${100 * MIN_SHARE_JSON} % of ${MIN_CALLS} or more results are JSON in a text, none is structured, and there is no output schema.`,
  disprovedBy: 'Every client in use ignores structured content.',
  check: ({ evidence: { tool, results }, definition }): Observation[] => {
    const { measured, structured, jsonText } = results;
    if (definition === undefined || definition.outputSchema !== undefined) return [];
    if (measured < MIN_CALLS || structured > 0 || jsonText < MIN_SHARE_JSON * measured) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(jsonText, measured, 'result')} of "${tool}" are JSON in a text block.`,
        evidence: { counts: { results: measured, jsonText }, names: {}, calls: { tool } },
        suggestion: {
          text: 'Declare an output schema and answer with `structuredContent` (and the same text for older clients).',
          edits: [
            { tool, pointer: '/outputSchema', after: { type: 'object', properties: { '<field>': {} } } },
          ],
        },
      },
    ];
  },
};

// TD016: errors in prose only. Without a code an agent has to read, and nobody can count.

import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { collectToolErrors, evidenceCallsOf, messagesOf, sumOf } from '../tool-errors.ts';

const MIN_ERRORS = 5;
const MIN_SHARE_WITHOUT_CODE = 0.5;

export const errorsWithoutCode: TrafficRule = {
  id: 'TD016',
  level: 'warning',
  title: 'Errors without a code',
  condition: `At least ${MIN_ERRORS} errors of the tool itself, and half of them, carry no code.`,
  disprovedBy:
    'The result of such a call has a code where this product does not look; see the ladder of error codes.',
  check: ({ evidence }): Observation[] => {
    const { groups, calls } = collectToolErrors(evidence);
    const bare = groups.filter(({ withCode, calls: all }) => withCode < all);
    const without = sumOf(bare, (group) => group.calls - group.withCode);
    if (without < MIN_ERRORS || without < MIN_SHARE_WITHOUT_CODE * calls) return [];
    const recovered = sumOf(bare, ({ next }) => next.recovered);
    return [
      {
        tool: evidence.tool,
        finding: `${formatShareOf(without, calls, 'error')} of "${evidence.tool}" carry no code.`,
        evidence: {
          counts: { errors: calls, withoutCode: without, recovered },
          names: { messages: messagesOf(bare) },
          calls: evidenceCallsOf(evidence, bare),
        },
        suggestion: {
          text: 'Answer with `structuredContent: {error: {code, message, recovery, retryable}}`, and the code first in the text.',
          edits: [],
        },
        callsLost: Math.max(0, without - recovered),
      },
    ];
  },
};

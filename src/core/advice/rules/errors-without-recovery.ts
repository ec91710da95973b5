// TD017: errors that do not say what to do next, shown by agents that did not know: they ended, or tried again for nothing.

import type { Observation } from '../finding.ts';
import { formatNounCount } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';
import { collectToolErrors, messagesOf, sumOf } from '../tool-errors.ts';
import type { AfterError } from '../tool-evidence.ts';

const MIN_SEEN_ERRORS = 5;
const MAX_SHARE_WITH_RECOVERY = 0.2;
const MIN_SHARE_LOST = 0.2;
const FIELD_LABELS = { recovery: 'what to do next', retryable: 'whether the same call can succeed later' };

export const errorsWithoutRecovery: TrafficRule = {
  id: 'TD017',
  level: 'note',
  title: 'Errors that do not say what to do',
  condition: `Of at least ${MIN_SEEN_ERRORS} errors under a fifth say \`recovery\` or \`retryable\`, and after ${MIN_FAILURES} of them, and as many as a fifth, the agent ended, or sent the same call again to no avail.`,
  disprovedBy: 'The message says it in words, and agents do the right thing after it.',
  check: ({ evidence }): Observation[] => {
    const { groups } = collectToolErrors(evidence);
    const seen = sumOf(groups, (group) => group.seen);
    const recovery = sumOf(groups, (group) => group.withRecovery);
    const retryable = sumOf(groups, (group) => group.withRetryable);
    const sameCall = sumOf(groups, ({ next }) => next.sameCall);
    const gaveUp = sumOf(groups, ({ next }) => next.gaveUp);
    const missing = [
      ...(recovery < MAX_SHARE_WITH_RECOVERY * seen ? ['recovery' as const] : []),
      ...(retryable < MAX_SHARE_WITH_RECOVERY * seen ? ['retryable' as const] : []),
    ];
    const lost = sumOf(groups, ({ next }) => countLostCalls(next));
    if (seen < MIN_SEEN_ERRORS || missing.length === 0) return [];
    if (lost < MIN_FAILURES || lost < MIN_SHARE_LOST * seen) return [];
    return [
      {
        tool: evidence.tool,
        finding: `Of ${formatNounCount(seen, 'error')} of "${evidence.tool}" hardly any says ${missing.map((part) => FIELD_LABELS[part]).join(' or ')}; ${sameCall} times the same call was sent again, ${gaveUp} times the session ended there.`,
        evidence: {
          counts: { errors: seen, withRecovery: recovery, withRetryable: retryable, sameCall, gaveUp },
          names: { missing, messages: messagesOf(groups) },
          calls: { tool: evidence.tool },
        },
        suggestion: {
          text: 'Say in each error what to change or call instead (`recovery`), and whether the same call can succeed later (`retryable`).',
          edits: [],
        },
        callsLost: lost,
      },
    ];
  },
};

/** Where the session ended, and where the same call was sent again and the tool never succeeded: a retry that helps is no loss. */
function countLostCalls({ sameCall, changedArgument, otherTool, gaveUp, recovered }: AfterError): number {
  const unrecovered = sameCall + changedArgument + otherTool + gaveUp - recovered;
  return gaveUp + Math.min(sameCall, Math.max(0, unrecovered - gaveUp));
}

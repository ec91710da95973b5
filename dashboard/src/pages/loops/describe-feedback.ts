// Feedback on loops and proposed thresholds in words.
import type { ThresholdProposalResponse } from '../../../../src/contract/loop-feedback.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';

export const VERDICT_WORDS = { loop: 'A loop', not_loop: 'Not a loop' } as const;

/** Example: "The thresholds in force agree with 3 of 4 loops with feedback; with one change, 4 of 4 agree." */
export function describeProposal({
  feedback: { total, tried, agreed },
  changes,
  unsatisfied,
}: ThresholdProposalResponse): string {
  if (total === 0)
    return 'No loop has feedback yet. "Not a loop…" and "Is a loop…" on a loop are what thresholds are proposed from.';
  if (tried === 0) return `The calls of ${formatPlural(total, 'loop')} with feedback are no longer stored.`;
  const current = `The thresholds in force agree with ${formatCount(agreed)} of ${formatPlural(tried, 'loop')} with feedback`;
  if (agreed === tried) return `${current}.`;
  if (changes.length === 0) return `${current}; no thresholds agree with the rest.`;
  const count = changes.length === 1 ? 'one change' : formatPlural(changes.length, 'change');
  return `${current}; with ${count}, ${formatCount(tried - unsatisfied.length)} of ${formatCount(tried)} agree.`;
}

/** Example: "notes/search: repeats 4 → 7" */
export function describeChange({
  entry,
  name,
  from,
  to,
}: ThresholdProposalResponse['changes'][number]): string {
  return `${entry}: ${name} ${from} → ${to}`;
}

/** Example: "Tried on 120 sessions of the range, the verdict on 2 would change." */
export function describeHistory({ sessions, changed }: ThresholdProposalResponse['history']): string {
  const tried = `Tried on ${formatPlural(sessions, 'session')} of the range`;
  if (changed.length === 0) return `${tried}, no verdict would change.`;
  return `${tried}, the verdict on ${formatCount(changed.length)} would change.`;
}

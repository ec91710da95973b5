// What a guard did about a call, in words.
import type { CallRow } from '../../../src/contract/calls.ts';
import { GUARD_VERDICTS, type GuardVerdict } from '../../../src/core/model/guard-verdict.ts';
import { formatCount } from './format-number.ts';

export const GUARD_LABELS: Readonly<Record<GuardVerdict, { readonly text: string; readonly title: string }>> =
  {
    blocked: { text: 'Blocked', title: 'The guard answered, and the tool did not run' },
    would_block: { text: 'Would block', title: 'The tool ran; mode enforce would have blocked the call' },
    nudged: { text: 'Nudged', title: 'The tool ran, and the guard appended a text to its result' },
  };

/** The reason of a verdict; a code of another version stays as it is. */
export function formatGuardReason(code: string): string {
  return (
    {
      LOOP_DETECTED: 'loop',
      RATE_LIMITED: 'budget',
      RECOVERY_HINT: 'recovery hint',
      REPLAYED: 'replayed answer',
    }[code] ?? code
  );
}

/** What guards did about several calls: ", guard: 196 would block"; empty if they did nothing. */
export function describeGuardVerdicts(calls: readonly Pick<CallRow, 'guardVerdict'>[]): string {
  const counts = GUARD_VERDICTS.map((verdict) => ({
    label: GUARD_LABELS[verdict].text.toLowerCase(),
    n: calls.filter(({ guardVerdict }) => guardVerdict === verdict).length,
  })).filter(({ n }) => n > 0);
  if (counts.length === 0) return '';
  return `, guard: ${counts.map(({ label, n }) => `${formatCount(n)} ${label}`).join(', ')}`;
}

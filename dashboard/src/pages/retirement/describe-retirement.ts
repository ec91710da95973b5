// Verdicts on retirements as sentences.
import type { RetirementRow } from '../../../../src/contract/retirements.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';

/** The verdict in few words, for a list. */
export function formatVerdict(row: RetirementRow): string {
  switch (row.verdict) {
    case 'safe':
      return `safe to remove: ${formatPlural(row.quietDays, 'quiet day')}`;
    case 'still_called':
      return `still called${describeCallers(row)}`;
    case 'too_early':
      return `too early: ${formatCount(row.quietDays)} of ${formatPlural(row.requiredDays, 'quiet day')}`;
  }
}

/** "No call for 16 days: safe to remove." */
export function describeVerdict(row: RetirementRow): string {
  const quiet = formatPlural(row.quietDays, 'day');
  switch (row.verdict) {
    case 'safe':
      return row.lastCalledAt === null
        ? `Never called in ${quiet}: safe to remove.`
        : `No call for ${quiet}: safe to remove.`;
    case 'still_called':
      return `Still called${describeCallers(row)}.`;
    case 'too_early':
      return `Too early to say: no call is known for ${quiet} of use of its server, and ${formatCount(row.requiredDays)} are needed.`;
  }
}

/** The newest callers are named; those of calls that have expired are not known. */
function describeCallers({ callers, requiredDays }: RetirementRow): string {
  const [newest, ...others] = callers;
  if (newest === undefined) return ` in the last ${formatPlural(requiredDays, 'day')}`;
  const name = formatCaller(newest);
  return others.length === 0 ? ` by ${name}` : ` by ${name} and ${formatPlural(others.length, 'other')}`;
}

interface Caller {
  readonly client: string;
  readonly clientVersion: string;
}

/** "cursor 1.2". */
export function formatCaller({ client, clientVersion }: Caller): string {
  return `${client} ${clientVersion}`.trim() || 'an unknown client';
}

/** Why so many days without a call are needed. */
export function describeRequiredDays({ requiredDays, longestGapDays }: RetirementRow): string {
  const days = formatPlural(requiredDays, 'day');
  return longestGapDays !== null && longestGapDays + 1 === requiredDays
    ? `${days}, because it was called again after ${formatPlural(longestGapDays, 'day')} once`
    : days;
}

// The answer of the loops page, as a sentence: is an agent looping now, and what did loops cost in the range.
import type { LoopsResponse } from '../../../../src/contract/loops.ts';
import { formatPlural } from '../../format/format-number.ts';

interface DescribeLoopsOptions {
  /** As an adverb, e.g. "in the last hour". */
  readonly range: string;
  /** Findings one short of a loop are counted too, so they cannot be called loops. */
  readonly withNotes: boolean;
}

export function describeLoops(
  { total, active, wastedCalls }: Pick<LoopsResponse, 'total' | 'active' | 'wastedCalls'>,
  { range, withNotes }: DescribeLoopsOptions,
): string {
  const noun = withNotes ? 'finding' : 'loop';
  const nobody = withNotes ? 'Nothing goes on now.' : 'No agent is looping now.';
  const now = active === 0 ? nobody : `${formatPlural(active, noun)} ${active === 1 ? 'goes' : 'go'} on now.`;
  return `${now} ${formatPlural(total, noun)} ${range} wasted ${formatPlural(wastedCalls, 'call')}.`;
}

/** What goes on now before what is over; within each the order stays. */
export function sortActiveFirst<T extends { readonly state: 'active' | 'over' }>(loops: readonly T[]): T[] {
  return [
    ...loops.filter(({ state }) => state === 'active'),
    ...loops.filter(({ state }) => state === 'over'),
  ];
}

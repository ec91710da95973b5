// The summary sentence of the loops page: whether an agent is looping now, and what loops cost in the range.
import type { LoopsResponse } from '../../../../src/contract/loops.ts';
import { formatPlural } from '../../format/format-number.ts';

interface DescribeLoopsOptions {
  /** As an adverbial phrase, e.g. "in the last hour". */
  readonly range: string;
  /**
   * Whether notes are included. A note is one call short of a loop, so the total then cannot be called loops.
   */
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

/** Active loops first; otherwise the order is unchanged. */
export function sortActiveFirst<T extends { readonly state: 'active' | 'over' }>(loops: readonly T[]): T[] {
  return [
    ...loops.filter(({ state }) => state === 'active'),
    ...loops.filter(({ state }) => state === 'over'),
  ];
}

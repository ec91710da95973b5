// The summary sentence of the loops page: whether an agent is looping now, and what loops cost in the range.
import type { LoopsResponse } from '../../../../src/contract/loops.ts';
import { formatPlural } from '../../format/format-number.ts';

/**
 * @param options.range as an adverbial phrase, e.g. "in the last hour"
 * @param options.withNotes whether the total includes notes: one call short of a loop, so not loops
 */
export function describeLoops(
  { total, active, wastedCalls }: Pick<LoopsResponse, 'total' | 'active' | 'wastedCalls'>,
  { range, withNotes }: { readonly range: string; readonly withNotes: boolean },
): string {
  const noun = withNotes ? 'finding' : 'loop';
  const now = active === 0 ? `No active ${noun}s` : formatPlural(active, `active ${noun}`);
  return `${now}. ${formatPlural(total, noun)} ${range} wasted ${formatPlural(wastedCalls, 'call')}.`;
}

/** Active loops first; otherwise the order is unchanged. */
export function sortActiveFirst<T extends { readonly state: 'active' | 'over' }>(loops: readonly T[]): T[] {
  return loops.toSorted((a, b) => Number(b.state === 'active') - Number(a.state === 'active'));
}

// The share of a range's calls that loops wasted. A loop's calls are counted in full, so the share is only
// defined when every loop started within the range and no filter excludes some of its calls.
import type { LoopsResponse } from '../../../../src/contract/loops.ts';

/** The share of calls, from 0 to 1; undefined when the two counts do not cover the same calls. */
export function toWastedShare(
  { range, loops, total, wastedCalls }: LoopsResponse,
  { calls, isFiltered }: { readonly calls: number; readonly isFiltered: boolean },
): number | undefined {
  if (calls === 0 || isFiltered || total > loops.length || wastedCalls > calls) return undefined;
  return loops.every(({ onset }) => Date.parse(onset) >= range.fromMs) ? wastedCalls / calls : undefined;
}

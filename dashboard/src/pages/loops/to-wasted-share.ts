// How much of a range went into loops. A loop is counted whole, so a share of the range's calls can only be told when
// every loop began within it and no filter took calls of theirs away.
import type { LoopsResponse } from '../../../../src/contract/loops.ts';

/** The share of calls, from 0 to 1, or undefined where the two counts do not cover the same calls. */
export function toWastedShare(
  { range, loops, total, wastedCalls }: LoopsResponse,
  { calls, isFiltered }: { readonly calls: number; readonly isFiltered: boolean },
): number | undefined {
  if (calls === 0 || isFiltered || total > loops.length || wastedCalls > calls) return undefined;
  return loops.every(({ onset }) => Date.parse(onset) >= range.fromMs) ? wastedCalls / calls : undefined;
}

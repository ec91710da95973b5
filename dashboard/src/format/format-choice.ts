// A chosen range in a few words, with what it was chosen for: "1 h, chosen: it holds 356 calls".
import type { ChosenRange } from '../view/choose-range.ts';
import { formatCount, formatNoun, THIN } from './format-number.ts';

interface Reason {
  readonly why: ChosenRange['why'];
  /** Calls that the range holds now. */
  readonly calls: number;
  /** The page shows a part of them, because a filter is set. */
  readonly isFiltered?: boolean;
}

export function formatChoice(from: string, { why, calls, isFiltered }: Reason): string {
  const range = from.replace(/^now-(\d+)/, `$1${THIN}`);
  if (why === 'none') return `${range}: no calls in 30${THIN}d`;
  if (why === 'enough')
    return `${range}, chosen: it holds ${formatNoun(calls, 'call')}${isFiltered ? ' in all' : ''}`;
  return calls === 1
    ? `${range}, chosen: it holds the only call`
    : `${range}, chosen: it holds all ${formatCount(calls)} calls`;
}

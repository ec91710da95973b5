// Describes an automatic range and why it was chosen: "1 h, chosen: it holds 356 calls".
import type { AutoRange } from '../view/choose-auto-range.ts';
import { formatCount, formatPlural, THIN_SPACE } from './format-number.ts';

interface AutoRangeReason {
  readonly why: AutoRange['why'];
  /** Calls in the range now. */
  readonly calls: number;
  /** Whether a filter is set, so that the page shows only part of them. */
  readonly isFiltered?: boolean;
}

export function describeAutoRange(from: string, { why, calls, isFiltered }: AutoRangeReason): string {
  const range = from.replace(/^now-(\d+)/, `$1${THIN_SPACE}`);
  if (why === 'none') return `${range}: no calls in 30${THIN_SPACE}d`;
  if (why === 'enough')
    return `${range}, chosen: it holds ${formatPlural(calls, 'call')}${isFiltered ? ' in all' : ''}`;
  return calls === 1
    ? `${range}, chosen: it holds the only call`
    : `${range}, chosen: it holds all ${formatCount(calls)} calls`;
}

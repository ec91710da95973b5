// Which earlier time a range is compared with. By weekday means whole weeks in UTC: where the clocks changed in between, an
// hour of local time lies beside the next one.

import type { Comparison } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { alignRange, type RetentionBounds } from './grain.ts';

const WEEK_MS = 7 * 86_400_000;
/** By so much at most a range was rounded outward: seven days and an hour are still a week. */
const MAX_ROUNDING_MS = 2 * 3_600_000;

export interface ComparisonRange {
  /** Aligned as every range is. */
  readonly range: TimeRange;
  /** How much earlier it is. */
  readonly shiftMs: number;
}

/**
 * The time of equal length just before, or as many whole weeks earlier as the range is long, so that it never overlaps.
 *
 * @param range aligned
 */
export function toComparisonRange(
  { fromMs, toMs }: TimeRange,
  compare: Comparison,
  retention: RetentionBounds,
): ComparisonRange | undefined {
  const length = toMs - fromMs;
  const shiftMs = compare === 'week' ? countWeeks(length) * WEEK_MS : length;
  if (fromMs < shiftMs) return undefined;
  return { range: alignRange({ fromMs: fromMs - shiftMs, toMs: toMs - shiftMs }, retention), shiftMs };
}

function countWeeks(length: number): number {
  return Math.max(1, Math.ceil((length - MAX_ROUNDING_MS) / WEEK_MS));
}

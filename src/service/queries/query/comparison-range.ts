// The earlier range that a range is compared with. Weekday comparison uses whole weeks in UTC: across a
// daylight saving change, local hours are shifted by one.

import type { Comparison } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { alignRange, type RetentionBounds } from './grain.ts';

const WEEK_MS = 7 * 86_400_000;
/** Maximum by which a range was rounded outward: seven days and an hour still count as a week. */
const MAX_ROUNDING_MS = 2 * 3_600_000;

export interface ComparisonRange {
  /** Aligned like every range. */
  readonly range: TimeRange;
  /** How much earlier it is. */
  readonly shiftMs: number;
}

/**
 * The time of equal length just before the range, or as many whole weeks earlier as the range is long, so
 * that they never overlap.
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

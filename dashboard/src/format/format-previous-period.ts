// Names the period that a value is compared with.

const WEEK_MS = 7 * 86_400_000;

/**
 * "before" for the preceding period, "a week earlier" for the same weekdays.
 *
 * @param shiftMs how much earlier
 * @param compare the requested comparison; for a range of seven days both are the same
 */
export function formatPreviousPeriod(shiftMs: number, compare: 'prev' | 'week' = 'prev'): string {
  if (compare === 'prev') return 'before';
  const weeks = Math.round(shiftMs / WEEK_MS);
  return weeks === 1 ? 'a week earlier' : `${weeks} weeks earlier`;
}

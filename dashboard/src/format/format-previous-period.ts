// Which earlier time a figure is compared with, in two or three words.

const WEEK_MS = 7 * 86_400_000;

/**
 * "before" for the time just before, "a week earlier" for the same weekdays.
 *
 * @param shiftMs how much earlier
 * @param compare what was asked for; a range of seven days is both
 */
export function formatPreviousPeriod(shiftMs: number, compare: 'prev' | 'week' = 'prev'): string {
  if (compare === 'prev') return 'before';
  const weeks = Math.round(shiftMs / WEEK_MS);
  return weeks === 1 ? 'a week earlier' : `${weeks} weeks earlier`;
}

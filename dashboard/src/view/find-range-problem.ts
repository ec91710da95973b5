// Says what is wrong with a time range before it is asked for, with the grammar that the service itself uses.
import { parseTime, TIME_FORMATS } from '../../../src/contract/time-range.ts';

/** The sentence that says what is wrong, or undefined when nothing is. */
export function findRangeProblem(
  { from, to }: { readonly from: string; readonly to: string },
  nowMs: number,
): string | undefined {
  const fromMs = parseTime(from, nowMs);
  const toMs = parseTime(to, nowMs);
  if (fromMs === undefined) return `From must be ${TIME_FORMATS}.`;
  if (toMs === undefined) return `To must be ${TIME_FORMATS}.`;
  return fromMs < toMs ? undefined : 'From must be before To.';
}

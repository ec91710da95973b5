// Validates a time range before it is requested, with the same grammar as the service.
import { parseTime, TIME_FORMATS } from '../../../src/contract/time-range.ts';

/** Returns the error message, or undefined for a valid range. */
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

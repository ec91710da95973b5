// Shifts and widens a range, fixes it to absolute times, and validates one that was typed. An end at `now` stays
// relative where possible, so that a live page keeps updating.
import { parseTime, TIME_FORMATS } from '../../../src/contract/time-range.ts';
import { type View, withRange } from './view.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** A range that ends within this fraction of its length before the present counts as ending now. */
const NOW_TOLERANCE = 0.1;

/** Ends that cannot be parsed are left unchanged. */
function readRange({ from, to }: View, nowMs: number): { fromMs: number; toMs: number } | undefined {
  const [fromMs, toMs] = [parseTime(from, nowMs), parseTime(to, nowMs)];
  return fromMs === undefined || toMs === undefined || fromMs >= toMs ? undefined : { fromMs, toMs };
}

/** Shifts the range by one length, earlier (-1) or later (1); never beyond the present. */
export function shiftRange(view: View, { by, nowMs }: { by: -1 | 1; nowMs: number }): View {
  const range = readRange(view, nowMs);
  if (!range || (by === 1 && view.to === 'now')) return view;
  const lengthMs = range.toMs - range.fromMs;
  const toMs = range.toMs + by * lengthMs;
  if (toMs >= nowMs - lengthMs * NOW_TOLERANCE)
    return withRange(view, { from: formatRelativeStart(lengthMs), to: 'now' });
  return withRange(view, { from: formatSecond(toMs - lengthMs), to: formatSecond(toMs) });
}

/** Doubles the range around its middle; one that ends now extends into the past. */
export function widenRange(view: View, nowMs: number): View {
  const range = readRange(view, nowMs);
  if (!range) return view;
  const lengthMs = range.toMs - range.fromMs;
  const toMs = range.toMs + lengthMs / 2;
  if (view.to === 'now' || toMs >= nowMs)
    return withRange(view, { from: formatRelativeStart(nowMs - range.toMs + 2 * lengthMs), to: 'now' });
  return withRange(view, { from: formatSecond(range.fromMs - lengthMs / 2), to: formatSecond(toMs) });
}

/** The same range in absolute times, so that a URL keeps showing the same data. */
export function toAbsoluteRange(view: View, nowMs: number): View {
  const range = readRange(view, nowMs);
  return range ? withRange(view, { from: formatSecond(range.fromMs), to: formatSecond(range.toMs) }) : view;
}

/** In the largest unit that divides the duration, at least one minute. */
function formatRelativeStart(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000)) * 60_000;
  const [letter, size] = UNITS.find(([, size]) => minutes % size === 0) ?? UNITS[2];
  return `now-${minutes / size}${letter}`;
}

/** In ISO 8601, in whole seconds to keep a URL short. */
export function formatSecond(ms: number): string {
  return new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** Validates with the grammar of the service; returns the error message, or undefined for a valid range. */
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

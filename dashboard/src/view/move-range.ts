// A range moved along the time axis, widened, or held where it is now. An end that is now stays now where it can, so
// that a page that follows along goes on following.
import { parseTime } from '../../../src/contract/time-range.ts';
import { type View, withRange } from './view.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** What ends this part of its length before the present was meant to end with it: time passes while somebody looks. */
const NOW_TOLERANCE = 0.1;

/** Unreadable ends are the address's own fault and stay as they are. */
function readRange({ from, to }: View, nowMs: number): { fromMs: number; toMs: number } | undefined {
  const [fromMs, toMs] = [parseTime(from, nowMs), parseTime(to, nowMs)];
  return fromMs === undefined || toMs === undefined || fromMs >= toMs ? undefined : { fromMs, toMs };
}

/** The range as long as it is, one length earlier (-1) or later (1); never beyond the present. */
export function shiftRange(view: View, { by, nowMs }: { by: -1 | 1; nowMs: number }): View {
  const range = readRange(view, nowMs);
  if (!range || (by === 1 && view.to === 'now')) return view;
  const lengthMs = range.toMs - range.fromMs;
  const toMs = range.toMs + by * lengthMs;
  if (toMs >= nowMs - lengthMs * NOW_TOLERANCE)
    return withRange(view, { from: formatRelativeStart(lengthMs), to: 'now' });
  return withRange(view, { from: formatSecond(toMs - lengthMs), to: formatSecond(toMs) });
}

/** Twice as long around the same middle; one that ends now reaches further back. */
export function widenRange(view: View, nowMs: number): View {
  const range = readRange(view, nowMs);
  if (!range) return view;
  const lengthMs = range.toMs - range.fromMs;
  const toMs = range.toMs + lengthMs / 2;
  if (view.to === 'now' || toMs >= nowMs)
    return withRange(view, { from: formatRelativeStart(nowMs - range.toMs + 2 * lengthMs), to: 'now' });
  return withRange(view, { from: formatSecond(range.fromMs - lengthMs / 2), to: formatSecond(toMs) });
}

/** The same range in exact times, so that an address shows tomorrow what it shows now. */
export function toAbsoluteRange(view: View, nowMs: number): View {
  const range = readRange(view, nowMs);
  return range ? withRange(view, { from: formatSecond(range.fromMs), to: formatSecond(range.toMs) }) : view;
}

/** In the largest unit that divides it, a minute at least. */
function formatRelativeStart(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000)) * 60_000;
  const [letter, size] = UNITS.find(([, size]) => minutes % size === 0) ?? UNITS[2];
  return `now-${minutes / size}${letter}`;
}

function formatSecond(ms: number): string {
  return new Date(Math.round(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

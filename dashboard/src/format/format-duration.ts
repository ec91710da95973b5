// Formats durations: below a minute three significant digits of one unit, above it two whole units.
import { formatSignificant, NO_VALUE, THIN_SPACE } from './format-number.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration such as "0.42 ms", "123 ms", "1.23 s", "3 min 12 s" or "2 d 4 h".
 *
 * @param ms milliseconds, or null when no call had a latency
 */
export function formatDuration(ms: number | null): string {
  if (ms === null) return NO_VALUE;
  if (ms < 999.5)
    return ms > 0 && ms < 0.01
      ? `<${THIN_SPACE}0.01${THIN_SPACE}ms`
      : `${formatSignificant(ms)}${THIN_SPACE}ms`;
  if (ms < 59_950) return `${formatSignificant(ms / SECOND)}${THIN_SPACE}s`;
  if (ms < HOUR) return formatTwoUnits(Math.round(ms / SECOND), 60, ['min', 's']);
  if (ms < DAY) return formatTwoUnits(Math.round(ms / MINUTE), 60, ['h', 'min']);
  return formatTwoUnits(Math.round(ms / HOUR), 24, ['d', 'h']);
}

function formatTwoUnits(total: number, size: number, [large, small]: readonly [string, string]): string {
  const rest = total % size;
  const head = `${Math.floor(total / size)}${THIN_SPACE}${large}`;
  return rest === 0 ? head : `${head} ${rest}${THIN_SPACE}${small}`;
}

/** How long ago, in one unit: "just now", "12 s ago", "3 min ago", "2 h ago", "5 d ago". */
export function formatAgo(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (ms < -MINUTE) return `in ${formatOneUnit(-ms)}`;
  return ms < 2 * SECOND ? 'just now' : `${formatOneUnit(ms)} ago`;
}

function formatOneUnit(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}${THIN_SPACE}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}${THIN_SPACE}min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}${THIN_SPACE}h`;
  return `${Math.floor(ms / DAY)}${THIN_SPACE}d`;
}

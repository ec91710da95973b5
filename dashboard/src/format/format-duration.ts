// Durations for eyes. Below a minute three significant digits of one unit, above it two whole units.
import { formatSignificant, NOTHING, THIN } from './format-number.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A duration such as "0.42 ms", "123 ms", "1.23 s", "3 min 12 s" or "2 d 4 h".
 *
 * @param ms milliseconds, or null where no call had a latency
 */
export function formatDuration(ms: number | null): string {
  if (ms === null) return NOTHING;
  if (ms < 999.5) return ms > 0 && ms < 0.01 ? `<${THIN}0.01${THIN}ms` : `${formatSignificant(ms)}${THIN}ms`;
  if (ms < 59_950) return `${formatSignificant(ms / SECOND)}${THIN}s`;
  if (ms < HOUR) return twoUnits(Math.round(ms / SECOND), 60, ['min', 's']);
  if (ms < DAY) return twoUnits(Math.round(ms / MINUTE), 60, ['h', 'min']);
  return twoUnits(Math.round(ms / HOUR), 24, ['d', 'h']);
}

function twoUnits(total: number, size: number, [large, small]: readonly [string, string]): string {
  const rest = total % size;
  const head = `${Math.floor(total / size)}${THIN}${large}`;
  return rest === 0 ? head : `${head} ${rest}${THIN}${small}`;
}

/** How long ago, in one unit: "just now", "12 s ago", "3 min ago", "2 h ago", "5 d ago". */
export function formatAgo(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (ms < -MINUTE) return `in ${oneUnit(-ms)}`;
  return ms < 2 * SECOND ? 'just now' : `${oneUnit(ms)} ago`;
}

function oneUnit(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}${THIN}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}${THIN}min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}${THIN}h`;
  return `${Math.floor(ms / DAY)}${THIN}d`;
}

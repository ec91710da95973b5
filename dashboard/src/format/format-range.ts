// Formats a time range for use in sentences: "in the last hour", "from 21 Nov 10:00 to 21 Nov 11:00".
import { parseTime } from '../../../src/contract/time-range.ts';
import { formatDateTime, type Zone } from './format-time.ts';

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };

interface RangeText {
  readonly from: string;
  readonly to: string;
}

/** The range as an adverbial phrase: "in the last 24 hours". */
export function formatRange({ from, to }: RangeText, { nowMs, zone }: { nowMs: number; zone: Zone }): string {
  const last = to === 'now' ? formatLastRange(from) : undefined;
  if (last) return `in the ${last}`;
  return `from ${formatEnd(from, { nowMs, zone })} to ${formatEnd(to, { nowMs, zone })}`;
}

/** A range that ends now: "last hour", "last 24 hours"; undefined for an absolute start. */
export function formatLastRange(from: string): string | undefined {
  const [, count, letter = ''] = /^(?:now)?-(\d+)([smhdw])$/.exec(from) ?? [];
  if (count === undefined) return undefined;
  return count === '1' ? `last ${UNITS[letter]}` : `last ${Number(count)} ${UNITS[letter]}s`;
}

function formatEnd(text: string, { nowMs, zone }: { nowMs: number; zone: Zone }): string {
  if (text === 'now') return 'now';
  const atMs = parseTime(text, nowMs);
  return atMs === undefined ? text : formatDateTime(atMs, zone);
}

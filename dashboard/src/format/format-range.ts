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
  const relative = /^(?:now)?-(\d+)([smhdw])$/.exec(from);
  if (relative && to === 'now')
    return `in the last ${formatRelativeLength(Number(relative[1]), relative[2] ?? '')}`;
  return `from ${formatEnd(from, { nowMs, zone })} to ${formatEnd(to, { nowMs, zone })}`;
}

function formatRelativeLength(count: number, letter: string): string {
  const unit = UNITS[letter] ?? '';
  return count === 1 ? unit : `${count} ${unit}s`;
}

function formatEnd(text: string, { nowMs, zone }: { nowMs: number; zone: Zone }): string {
  if (text === 'now') return 'now';
  const atMs = parseTime(text, nowMs);
  return atMs === undefined ? text : formatDateTime(atMs, zone);
}

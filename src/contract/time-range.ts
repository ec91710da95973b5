// The grammar of `from` and `to`: an ISO time, epoch milliseconds, or relative to now (`now`, `now-7d`,
// `-2h`). The clock is an argument, so that the dashboard and the service parse the same text identically.

import type { z } from 'zod';
import type { Range } from './fields.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Describes the grammar in error messages. */
export const TIME_FORMATS = 'an ISO 8601 time, epoch milliseconds, or now-<n><s|m|h|d|w>';

/**
 * Parses one end of a time range.
 * @param text the value of `from` or `to`
 * @param nowMs current time in epoch milliseconds
 * @returns epoch milliseconds, or undefined when the text matches no supported form
 */
export function parseTime(text: string, nowMs: number): number | undefined {
  const relative = /^(?:now)?-(\d{1,6})([smhdw])$/.exec(text);
  if (relative) return nowMs - Number(relative[1]) * (UNIT_MS[relative[2] ?? ''] ?? 0);
  if (text === 'now') return nowMs;
  if (/^\d{10,15}$/.test(text)) return Number(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const ms = Date.parse(/T/.test(text) ? text : `${text}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export type TimeRange = Readonly<z.infer<typeof Range>>;

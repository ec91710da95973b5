// Determines the days whose calls are all retained. The engine drops expired data in parts, some of a day
// before the rest, so a day is whole only while none of it has expired. A longer retention restores nothing,
// so the latest limit ever applied holds.

import { ROLLUP_TABLES, type RollupTable } from '../store/compare-day.ts';

export interface RetentionDays {
  /** Calls and the rollups with their retention. */
  readonly rawDays: number;
  /** The other rollups. */
  readonly rollupDays: number;
}

/** The reason for not changing a day that is not whole. */
export const CALLS_EXPIRED = 'its calls have partly expired';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A rebuild takes some time, and clocks differ. */
const SAFETY_MARGIN_MS = 60 * 60 * 1000;

/**
 * @param recordedMs the latest limit of all earlier reconciliations
 * @returns epoch milliseconds; calls from then on have not expired
 */
export function findWholeFrom(nowMs: number, { rawDays }: RetentionDays, recordedMs: number): number {
  return Math.max(recordedMs, nowMs - rawDays * DAY_MS);
}

/** @param day `YYYY-MM-DD` @param fromMs the result of `findWholeFrom` */
export function isWholeDay(day: string, fromMs: number): boolean {
  return Date.parse(day) >= fromMs + SAFETY_MARGIN_MS;
}

const TABLES_WITH_CALL_RETENTION: readonly RollupTable[] = [
  'tool_minutes',
  'client_days',
  'listing_days',
  'failed_calls',
];

/** The rollups that retain all of a day. */
export function findKeptTables(
  day: string,
  { nowMs, retention }: { nowMs: number; retention: RetentionDays },
) {
  const keeps = (days: number): boolean => isWholeDay(day, nowMs - days * DAY_MS);
  return ROLLUP_TABLES.filter((table: RollupTable) =>
    keeps(TABLES_WITH_CALL_RETENTION.includes(table) ? retention.rawDays : retention.rollupDays),
  );
}

// What a write changes: its own table, those that the engine derives from it, and, for calls, the times at
// which they started. Reads of anything else are still valid after it.

import type { TimeRange } from '../../contract/time-range.ts';
import { parseDateTime64 } from '../../core/values/date-time64.ts';

/** The tables that the materialised views in `sql/` fill, by the table that they read. */
export const DERIVED_TABLES: Readonly<Record<string, readonly string[]>> = {
  calls: [
    ...['tool_minutes', 'tool_hours', 'tool_days', 'client_days', 'listing_days', 'sessions', 'tool_usage'],
    ...['failed_calls', 'failure_sightings', 'name_sightings'],
  ],
  tool_listings: ['tools', 'catalogue_tools'],
};

export interface WrittenData {
  readonly tables: readonly string[];
  /** From the first to the last start of the written calls; absent if unknown. */
  readonly started?: TimeRange;
}

/** @param ndjson one JSON object per line, as bytes */
export function describeInsert(table: string, ndjson: Uint8Array): WrittenData {
  const tables = [table, ...(DERIVED_TABLES[table] ?? [])];
  const started = table === 'calls' ? findStartRange(ndjson) : undefined;
  return { tables, ...(started && { started }) };
}

/** The first one in a row is the column: texts have their quotes escaped. */
const KEY = Buffer.from('"started_at":"');
/** `2026-01-31 12:00:00.000000`. */
const TIME_BYTES = 26;

/** Undefined if a time is not in the usual form. Nothing is cut into lines, because a batch has many. */
function findStartRange(ndjson: Uint8Array): TimeRange | undefined {
  const bytes = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.length);
  let [first, last] = ['~', ''];
  for (let at = bytes.indexOf(KEY); at !== -1; at = bytes.indexOf(KEY, at + KEY.length)) {
    const time = bytes.toString('latin1', at + KEY.length, at + KEY.length + TIME_BYTES);
    if (time < first) first = time;
    if (time > last) last = time;
  }
  const [fromMs, lastMs] = [toEpochMs(first), toEpochMs(last)];
  return fromMs === undefined || lastMs === undefined ? undefined : { fromMs, toMs: lastMs + 1 };
}

function toEpochMs(time: string): number | undefined {
  const ms = parseDateTime64(time) / 1_000;
  return Number.isFinite(ms) ? ms : undefined;
}

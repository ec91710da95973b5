// Which range a question is answered over, and which table answers it. Every answer of a page goes through here, so
// its figures agree with each other and with the calls listed over the same range.
//
// The rule: a range is rounded outward, to whole minutes up to 48 hours, to whole hours beyond and wherever the minutes
// are gone. `to=now` therefore includes the running minute (or hour). The answer's `range` says what was used.

import type { TimeRange } from '../../contract/time-range.ts';
import { UserError } from '../../errors.ts';
import { askedFilters, type FilterName, type Filters, type Where } from './filters.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Up to here a range keeps its minutes. */
const MINUTE_RANGES_MS = 48 * HOUR_MS;
/** The rollups are kept for thirteen months; a longer range would only be longer, not fuller. */
const LONGEST_RANGE_MS = 400 * DAY_MS;
/** The end of 2099, which the engine's times still hold. */
const LAST_MS = 4_102_444_800_000;

/** The tables that hold the same calls at three widths. */
export type Grain = 'calls' | 'minutes' | 'hours';

const FINEST_SECONDS: Readonly<Record<Grain, number>> = { calls: 1, minutes: 60, hours: 3_600 };

/** Filters that only single calls can answer. */
const CALLS_ONLY: readonly FilterName[] = [
  ...(['plan', 'session', 'method', 'outcome', 'fault', 'code'] as const),
  ...(['message', 'argument', 'protocol', 'transport'] as const),
];
/** Filters that the hours no longer know. */
const MINUTES_ONLY: readonly FilterName[] = ['client', 'version'];

/** What the choice depends on beside the range. */
export interface Reach {
  readonly nowMs: number;
  /** How many days single calls and minutes are kept. */
  readonly rawDays: number;
}

/**
 * The range that a question is answered over.
 *
 * @param asked as the person gave it; an end in the future becomes now
 */
export function alignRange(asked: TimeRange, reach: Reach): TimeRange {
  const from = clamp(asked.fromMs, { least: 0, most: LAST_MS });
  const to = clamp(asked.toMs, { least: from + 1, most: Math.max(reach.nowMs, from + 1) });
  const fromMs = Math.max(from, to - LONGEST_RANGE_MS);
  const fine = to - fromMs <= MINUTE_RANGES_MS && hasCalls({ fromMs, toMs: to }, reach);
  const step = fine ? MINUTE_MS : HOUR_MS;
  return { fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(to / step) * step };
}

/**
 * The range of equal length that ends where this one starts, rounded to hours where the minutes are gone.
 *
 * @param range aligned
 */
export function rangeBefore({ fromMs, toMs }: TimeRange, reach: Reach): TimeRange {
  return alignRange({ fromMs: Math.max(0, fromMs - (toMs - fromMs)), toMs: fromMs }, reach);
}

/**
 * Whether single calls and minutes of the whole range are still kept. Rows leave a whole day at a time, so the hour
 * that the oldest instant lies in is still there; the minute is for a `now` read just before ours.
 */
export function hasCalls(range: TimeRange, { nowMs, rawDays }: Reach): boolean {
  const oldest = nowMs - MINUTE_MS - rawDays * DAY_MS;
  return range.fromMs >= Math.floor(oldest / HOUR_MS) * HOUR_MS;
}

/**
 * The coarsest table that answers exactly.
 *
 * @param range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls or minutes that are no longer kept
 */
export function chooseGrain(range: TimeRange, filters: Filters, reach: Reach): Grain {
  requireKept(range, filters, reach);
  const asked = askedFilters(filters);
  if (asked.some((name) => CALLS_ONLY.includes(name))) return 'calls';
  if (asked.some((name) => MINUTES_ONLY.includes(name))) return 'minutes';
  return range.fromMs % HOUR_MS === 0 && range.toMs % HOUR_MS === 0 ? 'hours' : 'minutes';
}

/** Whether what the filters need of this range is still kept. */
export function canAnswer(range: TimeRange, filters: Filters, reach: Reach): boolean {
  return hasCalls(range, reach) || exactingFilter(filters) === undefined;
}

/** @throws UserError INVALID_PARAMETER when a filter needs calls or minutes that are no longer kept */
export function requireKept(range: TimeRange, filters: Filters, reach: Reach): void {
  if (canAnswer(range, filters, reach)) return;
  const field = exactingFilter(filters) ?? '';
  throw new UserError(
    'INVALID_PARAMETER',
    `Parameter "${field}" needs single calls or minutes, which are kept for ${reach.rawDays} days; the range starts earlier.`,
    { field, hint: `Start the range at now-${reach.rawDays}d or later, or leave "${field}" out.` },
  );
}

function exactingFilter(filters: Filters): FilterName | undefined {
  return askedFilters(filters).find((name) => CALLS_ONLY.includes(name) || MINUTES_ONLY.includes(name));
}

/** The finest bucket a chart over this range may have, in seconds. */
export function finestBucket(range: TimeRange, reach: Reach): number {
  return FINEST_SECONDS[hasCalls(range, reach) ? 'calls' : 'hours'];
}

/** The table for a chart: as `chooseGrain`, but no coarser than its buckets. */
export function chooseGrainFor(
  bucketSeconds: number,
  { range, filters, reach }: { readonly range: TimeRange; readonly filters: Filters; readonly reach: Reach },
): Grain {
  const coarsest = chooseGrain(range, filters, reach);
  const fitting = (['hours', 'minutes', 'calls'] as const).find(
    (grain) =>
      FINEST_SECONDS[grain] <= FINEST_SECONDS[coarsest] && bucketSeconds % FINEST_SECONDS[grain] === 0,
  );
  return fitting ?? 'calls';
}

/** The range as a condition on a time column. */
export function inRange(column: string, range: TimeRange): Where {
  return {
    sql: `${column} >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND ${column} < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`,
    params: { from_ms: range.fromMs, to_ms: range.toMs },
  };
}

function clamp(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(Math.max(value, least), most);
}

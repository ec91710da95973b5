// Compares one day of the rollups with the same day of the calls. Not only sums are compared: every rollup
// row weights the hash of its key by its count, every call adds the hash of its key, and the two sums are
// equal only if each call is in the right row. Tables without hours, such as sessions, are compared for the
// whole day.

import { z } from 'zod';
import { CROSS_MIDNIGHT_DUPLICATES, DAY_QUERY_LIMITS } from './day-sql.ts';
import {
  countSeenNames,
  type DayCounts,
  FIRST_LAST_SEEN_TABLES,
  type FirstLastSeenTable,
  isFirstLastSeenTable,
} from './first-last-seen.ts';
import { queryNumber, type Store } from './store.ts';

/** Difference of a rollup from the calls. */
export interface RollupDifference {
  readonly table: RollupTable;
  /** 0 to 23; undefined if the whole day was compared. */
  readonly hour?: number;
  readonly base: number;
  readonly rollup: number;
}

export interface DayComparison {
  readonly differences: readonly RollupDifference[];
  /** Surplus copies of calls stored more than once. */
  readonly duplicates: number;
}

/** Filled from `calls` and compared; partitioned by day, except the first/last-seen tables. */
export const ROLLUP_TABLES = [
  'tool_minutes',
  'tool_hours',
  'tool_days',
  'client_days',
  'listing_days',
  'failed_calls',
  'sessions',
  ...FIRST_LAST_SEEN_TABLES,
] as const;
export type RollupTable = (typeof ROLLUP_TABLES)[number];

export interface DayScope {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** 0 to 23; undefined means all. */
  readonly hours?: readonly number[];
  /** Tables whose retention covers the day; the others have expired. */
  readonly tables: readonly RollupTable[];
}

const HOUR_KEY = 'server_name, environment, method, tool_name, outcome, fault, error_code';
const MINUTE_KEY = `${HOUR_KEY}, server_version, client_name`;
const SESSION_KEY = 'server_name, session_source, session_id';

const ANSWERED = "side = 'server' AND outcome != 'input_required'";
const IN_SESSION = "side = 'server' AND session_id != ''";
const IN_SESSION_CALL = "method = 'tools/call' AND outcome != 'input_required'";

const count = z.coerce.number().int().nonnegative();
const HourRow = z.object({
  hour: count,
  n: count,
  minutes_sum: z.string(),
  hours_sum: z.string(),
});
const SumRow = z.object({ hour: count, n: count, hash: z.string() });
const PairRow = z.object({ base: count, rollup: count, base_hash: z.string(), rollup_hash: z.string() });

/** @throws UpstreamError as `Store` does */
export async function compareDay(store: Store, scope: DayScope): Promise<DayComparison> {
  const base = await readCallHours(store, scope);
  const differences: RollupDifference[] = [];
  for (const table of scope.tables) {
    if (table === 'tool_minutes' || table === 'tool_hours')
      differences.push(...(await compareBuckets(store, table, { base, scope })));
    else {
      const counts = isFirstLastSeenTable(table)
        ? await countSeenNames(store, table, scope.day)
        : await countWholeDay(store, table, scope.day);
      if (!counts.isEqual) differences.push({ table, base: counts.base, rollup: counts.rollup });
    }
  }
  return { differences, duplicates: await countDuplicates(store, scope) };
}

/** Over all hours at once, and across midnight: copies of a call may have different start times. */
function countDuplicates(store: Store, scope: DayScope): Promise<number> {
  return queryNumber(store, {
    sql: `
      SELECT
        count() - uniqExact(sipHash128(trace_id, span_id))
          + (SELECT count() FROM (${CROSS_MIDNIGHT_DUPLICATES})) AS n
      FROM calls
      WHERE ${toHoursCondition('started_at', scope.hours)}`,
    params: toParams(scope),
    ...DAY_QUERY_LIMITS,
  });
}

function readCallHours(store: Store, scope: DayScope): Promise<z.infer<typeof HourRow>[]> {
  return store.query({
    sql: `
      SELECT
        toHour(started_at) AS hour,
        countIf(${ANSWERED}) AS n,
        toString(sumIf(cityHash64(${MINUTE_KEY}, toUnixTimestamp(toStartOfMinute(started_at))), ${ANSWERED})) AS minutes_sum,
        toString(sumIf(cityHash64(${HOUR_KEY}, toUnixTimestamp(toStartOfHour(started_at))), ${ANSWERED})) AS hours_sum
      FROM calls
      WHERE ${toHoursCondition('started_at', scope.hours)}
      GROUP BY hour`,
    params: toParams(scope),
    row: HourRow,
    ...DAY_QUERY_LIMITS,
  });
}

interface BucketComparisonInput {
  readonly base: readonly z.infer<typeof HourRow>[];
  readonly scope: DayScope;
}

async function compareBuckets(
  store: Store,
  table: 'tool_minutes' | 'tool_hours',
  { base, scope }: BucketComparisonInput,
): Promise<RollupDifference[]> {
  const key = table === 'tool_minutes' ? MINUTE_KEY : HOUR_KEY;
  const rollup = await store.query({
    sql: `
      SELECT
        toHour(bucket) AS hour,
        sum(calls) AS n,
        toString(sum(calls * cityHash64(${key}, toUnixTimestamp(bucket)))) AS hash
      FROM ${table}
      WHERE ${toHoursCondition('bucket', scope.hours)}
      GROUP BY hour`,
    params: toParams(scope),
    row: SumRow,
    ...DAY_QUERY_LIMITS,
  });
  const expected = new Map(
    base.map((row) => [
      row.hour,
      { n: row.n, hash: table === 'tool_minutes' ? row.minutes_sum : row.hours_sum },
    ]),
  );
  const actual = new Map(rollup.map((row) => [row.hour, row]));
  const all = [...new Set([...expected.keys(), ...actual.keys()])].sort((a, b) => a - b);
  return all.flatMap((hour) => {
    const expectedSum = expected.get(hour) ?? EMPTY_SUM;
    const actualSum = actual.get(hour) ?? EMPTY_SUM;
    return expectedSum.hash === actualSum.hash
      ? []
      : [{ table, hour, base: expectedSum.n, rollup: actualSum.n }];
  });
}

/** The sum over no rows. */
const EMPTY_SUM = { n: 0, hash: '0' };

/** SQL for a day of calls and of a derived table, as a count and a sum of hashes each. */
interface DayChecksumSql {
  readonly calls: string;
  readonly callsHash: string;
  /** Condition on the calls. */
  readonly condition: string;
  readonly rollup: string;
  readonly rollupHash: string;
  readonly day: string;
}

const toKeyChecksum = (key: string): DayChecksumSql => ({
  calls: 'count()',
  callsHash: `sum(cityHash64(${key})) + sumIf(cityHash64(${key}, 'errors'), fault != 'none')`,
  condition: `${ANSWERED} AND method = 'tools/call'`,
  rollup: 'sum(calls)',
  rollupHash: `sum(calls * cityHash64(${key})) + sum(errors * cityHash64(${key}, 'errors'))`,
  day: 'day',
});

const SPAN = 'cityHash64(trace_id, span_id, server_name, tool_name)';

const DAY_CHECKSUMS: Readonly<
  Record<Exclude<RollupTable, 'tool_minutes' | 'tool_hours' | FirstLastSeenTable>, DayChecksumSql>
> = {
  tool_days: toKeyChecksum('server_name, tool_name, environment, catalogue_hash'),
  client_days: toKeyChecksum(
    'server_name, tool_name, environment, client_name, server_version, catalogue_hash',
  ),
  listing_days: {
    calls: 'count()',
    callsHash: `sum(cityHash64(server_name, environment, catalogue_hash))`,
    condition: `side = 'server' AND method = 'tools/list' AND catalogue_hash != ''`,
    rollup: 'sum(listings)',
    rollupHash: `sum(listings * cityHash64(server_name, environment, catalogue_hash))`,
    day: 'day',
  },
  failed_calls: {
    calls: 'count()',
    callsHash: `sum(${SPAN})`,
    condition: `${ANSWERED} AND method = 'tools/call' AND fault != 'none'`,
    rollup: 'count()',
    rollupHash: `sum(${SPAN})`,
    day: 'toDate(started_at)',
  },
  sessions: {
    calls: 'count()',
    callsHash: `sum(cityHash64(${SESSION_KEY})) + sumIf(cityHash64(${SESSION_KEY}, 'calls'), ${IN_SESSION_CALL})`,
    condition: IN_SESSION,
    rollup: 'sum(requests)',
    rollupHash: `sum(requests * cityHash64(${SESSION_KEY})) + sum(calls * cityHash64(${SESSION_KEY}, 'calls'))`,
    day: 'day',
  },
};

async function countWholeDay(
  store: Store,
  table: keyof typeof DAY_CHECKSUMS,
  day: string,
): Promise<DayCounts> {
  const checksum = DAY_CHECKSUMS[table];
  const [row] = await store.query({
    sql: `
      SELECT base, rollup, base_hash, rollup_hash
      FROM (
        SELECT ${checksum.calls} AS base, toString(${checksum.callsHash}) AS base_hash
        FROM calls
        WHERE toDate(started_at) = {day:Date} AND ${checksum.condition}
      ) AS of_calls
      CROSS JOIN (
        SELECT ${checksum.rollup} AS rollup, toString(${checksum.rollupHash}) AS rollup_hash
        FROM ${table}
        WHERE ${checksum.day} = {day:Date}
      ) AS of_rollup`,
    params: { day },
    row: PairRow,
    ...DAY_QUERY_LIMITS,
  });
  if (!row) return { base: 0, rollup: 0, isEqual: true };
  return { base: row.base, rollup: row.rollup, isEqual: row.base_hash === row.rollup_hash };
}

function toHoursCondition(column: string, hours: DayScope['hours']): string {
  const day = `toDate(${column}) = {day:Date}`;
  return hours ? `${day} AND toHour(${column}) IN {hours:Array(UInt8)}` : day;
}

function toParams({ day, hours }: DayScope): Record<string, unknown> {
  return { day, ...(hours && { hours: [...hours] }) };
}

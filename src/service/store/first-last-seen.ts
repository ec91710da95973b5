// Tables with only first and last times. They are not partitioned by day, so a day is checked against its
// calls: each name must exist, with a first time no later and a last time no earlier. Refilling is
// idempotent.

import { z } from 'zod';
import { DAY_QUERY_LIMITS, readViewSelect } from './day-sql.ts';
import type { Store } from './store.ts';

interface FirstLastSeenColumns {
  readonly key: string;
  readonly first: string;
  readonly last: string;
}

export const FIRST_LAST_SEEN_TABLES = ['tool_usage', 'name_sightings', 'failure_sightings'] as const;
export type FirstLastSeenTable = (typeof FIRST_LAST_SEEN_TABLES)[number];

const COLUMNS_BY_TABLE: Readonly<Record<FirstLastSeenTable, FirstLastSeenColumns>> = {
  tool_usage: { key: 'server_name, environment, tool_name', first: 'first_call', last: 'last_call' },
  name_sightings: { key: 'server_name, part, name, environment', first: 'first_seen', last: 'last_seen' },
  failure_sightings: {
    key: 'server_name, environment, tool_name, outcome, error_code, error_argument, message_hash',
    first: 'first_seen',
    last: 'last_seen',
  },
};

const count = z.coerce.number().int().nonnegative();

/** Of one day of calls, and of the table made from it. */
export interface DayCounts {
  readonly base: number;
  readonly rollup: number;
  readonly isEqual: boolean;
}

export function isFirstLastSeenTable(table: string): table is FirstLastSeenTable {
  return Object.hasOwn(COLUMNS_BY_TABLE, table);
}

/**
 * @param day `YYYY-MM-DD`
 * @returns the number of names in the day's calls, and how many of them the table has
 * @throws UpstreamError as `Store` does
 */
export async function countSeenNames(
  store: Store,
  table: FirstLastSeenTable,
  day: string,
): Promise<DayCounts> {
  const { key, first, last } = COLUMNS_BY_TABLE[table];
  const rows = (source: string, isKept: 0 | 1): string => `
    SELECT ${key}, CAST(${first} AS DateTime64(6, 'UTC')) AS first_in, CAST(${last} AS DateTime64(6, 'UTC')) AS last_in,
      ${isKept} AS is_kept
    FROM ${source}`;
  const [row] = await store.query({
    sql: `
      SELECT count() AS base, countIf(is_there AND first_kept <= first_of_day AND last_kept >= last_of_day) AS rollup
      FROM (
        SELECT
          max(is_kept) AS is_there,
          minIf(first_in, is_kept = 1) AS first_kept,
          maxIf(last_in, is_kept = 1) AS last_kept,
          minIf(first_in, is_kept = 0) AS first_of_day,
          maxIf(last_in, is_kept = 0) AS last_of_day
        FROM (${rows(table, 1)} UNION ALL ${rows(`(${await readViewSelect(store, table, day)})`, 0)})
        GROUP BY ${key}
        HAVING min(is_kept) = 0
      )`,
    row: z.object({ base: count, rollup: count }),
    ...DAY_QUERY_LIMITS,
  });
  const { base, rollup } = row ?? { base: 0, rollup: 0 };
  return { base, rollup, isEqual: base === rollup };
}

/**
 * Fills the table from the calls of a day.
 *
 * @param day `YYYY-MM-DD`
 * @throws UpstreamError as `Store` does
 */
export async function fillFirstLastSeen(store: Store, table: FirstLastSeenTable, day: string): Promise<void> {
  const { key, first, last } = COLUMNS_BY_TABLE[table];
  const columns = `${key}, ${first}, ${last}`;
  const select = await readViewSelect(store, table, day);
  await store.command(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${select})
     SETTINGS max_execution_time = 110, max_threads = 2, insert_deduplicate = 0`,
  );
}

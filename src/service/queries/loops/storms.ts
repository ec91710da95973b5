// The list of storms. There are few, and each is rewritten as it grows, so the whole range is read with
// FINAL. Pages are ordered by the first call, which never changes.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { StormRow, StormsQuery, StormsResponse } from '../../../contract/storms.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { STORM_COLUMNS, StormColumns, toStormRevision } from '../../store/storm-rows.ts';
import { encodeCursor, parseCursor } from '../query/cursor.ts';
import { allOf, rawSql, type Where, whereFilters } from '../query/filters.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { count, toIso } from '../query/row-values.ts';

/** The last microsecond of 2099, within the range of the engine's time types. */
const Key = z.tuple([z.int().min(0).max(4_102_444_800_000_000), z.string().regex(/^[0-9a-f]{1,32}$/)]);
type Key = z.infer<typeof Key>;

const CountRow = z.object({ total: count, active: count });

/** One page of the storms that overlap the range, newest first. */
export async function getStorms(
  query: ResolvedQuery<StormsQuery>,
  context: QueryContext,
): Promise<StormsResponse> {
  const { limit, cursor } = query;
  const position = cursor === undefined ? undefined : parseCursor('storms', { text: cursor, key: Key });
  const range = position?.range ?? alignRange(query.range, context);
  const conditions = whereStorms(query, range);
  const page = allOf(conditions, isAfterCursor(position?.after));
  const [rows, [counts]] = await Promise.all([
    context.store.query({ sql: pageSql(page, limit), params: page.params, row: StormColumns }),
    context.store.query({ sql: countSql(conditions), params: conditions.params, row: CountRow }),
  ]);
  const last = rows[limit - 1];
  const after: Key | undefined = last && [last.first_us, last.id];
  return {
    range,
    storms: rows.slice(0, limit).map(toStormRow),
    total: counts?.total ?? 0,
    active: counts?.active ?? 0,
    nextCursor: rows.length > limit && after ? encodeCursor('storms', { range, after }) : null,
  };
}

const pageSql = ({ sql }: Where, limit: number) => `
    SELECT ${STORM_COLUMNS}
    FROM storms FINAL
    WHERE ${sql}
    ORDER BY first_at DESC, id DESC
    LIMIT ${limit + 1}`;

const countSql = ({ sql }: Where) => `
    SELECT count() AS total, countIf(state = 'active') AS active
    FROM storms FINAL
    WHERE ${sql}`;

type StormFilters = Partial<Pick<StormsQuery, 'server' | 'environment' | 'tool' | 'state' | 'storm'>>;

/** The storms of a range that pass the filters. */
export function whereStorms(
  { server, environment, tool, state, storm }: StormFilters,
  { fromMs, toMs }: TimeRange,
): Where {
  return allOf(
    whereFilters({ server, environment }),
    tool === undefined ? rawSql('') : { sql: 'has(tools, {tool:String})', params: { tool } },
    state === undefined ? rawSql('') : { sql: 'state = {state:String}', params: { state } },
    storm === undefined ? rawSql('') : { sql: 'id = {storm:String}', params: { storm } },
    {
      sql: `last_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND first_at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`,
      params: { from_ms: fromMs, to_ms: toMs },
    },
  );
}

function isAfterCursor(key: Key | undefined): Where {
  if (!key) return rawSql('');
  return {
    sql: `(first_at, id) < (fromUnixTimestamp64Micro({key_us:Int64}, 'UTC'), {key_id:String})`,
    params: { key_us: key[0], key_id: key[1] },
  };
}

function toStormRow(row: StormColumns): StormRow {
  const { record } = toStormRevision(row);
  const { id, server, environment, kind, code, template, tools, sessions, calls } = record;
  return {
    ...{ id, server, environment, kind, code, template, tools: [...tools], sessions, calls },
    firstAt: toIso(record.firstUs),
    lastAt: toIso(record.lastUs),
    state: record.state,
    sentence: record.sentence,
    cause: record.cause,
  };
}

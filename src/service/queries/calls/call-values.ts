// Filter values offered on the calls page. The count covers the whole range: it comes from the rollups if
// they have every filter that is set, else from `calls`, reading only the filtered columns. Values and
// messages come from the newest calls of each server, so their cost does not grow with the range.

import { z } from 'zod';
import {
  type CallValuesQuery,
  type CallValuesResponse,
  type ErrorPattern,
  SUGGESTED_FILTERS,
  type SuggestedFilter,
} from '../../../contract/call-values.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource } from '../query/call-source.ts';
import { type CallWindow, groupWindows, readCallWindows } from '../query/call-window.ts';
import { toWholeDays } from '../query/day-split.ts';
import { allOf, canFilter, rawSql, toColumn, type Where, whereFilters } from '../query/filters.ts';
import { alignRange, chooseGrain, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { whereCalls } from './calls.ts';

/** Tool calls per server whose values are read; other requests between them are included. */
const MAX_NEWEST_CALLS = 10_000;
const MAX_VALUES = 20;
const MAX_PATTERNS = 20;

type Query = ResolvedQuery<CallValuesQuery>;
type CallFilters = Omit<Query, 'range'>;

/** The available filter values, and the number of calls. */
export async function getCallValues(query: Query, context: QueryContext): Promise<CallValuesResponse> {
  const { range: requestedRange, ...filters } = query;
  const range = alignRange(requestedRange, context);
  const [total, windows] = await Promise.all([
    countCalls({ range, filters }, context),
    readCallWindows({ range, filters, maxCalls: MAX_NEWEST_CALLS }, context),
  ]);
  const newest = allOf(inRange('started_at', range), inNewestCalls(windows));
  const [values, patterns] = await Promise.all([
    readValues({ newest, filters }, context),
    readPatterns({ newest, filters }, context),
  ]);
  return { range, total, isWhole: windows.every(({ isWhole }) => isWhole), values, patterns };
}

async function countCalls(
  { range, filters }: { readonly range: TimeRange; readonly filters: CallFilters },
  context: QueryContext,
): Promise<number> {
  const { counted, errors, minMs, maxMs, q, ...names } = filters;
  const isRolledUp =
    counted &&
    minMs === undefined &&
    maxMs === undefined &&
    q === undefined &&
    canFilter('tool_minutes', names);
  const read = (sql: string, { params }: Where) => queryNumber(context.store, { sql, params });
  if (!isRolledUp) {
    const which = allOf(inRange('started_at', range), whereCalls(filters));
    return read(`SELECT ${countSql(range, filters)} AS n`, {
      ...which,
      params: { ...which.params, ...toDayParams(range) },
    });
  }
  const { aggregates, where } = toCallSource(chooseGrain(range, names, context), { range, filters: names });
  const failed = errors === 'true' ? aggregates.errors : `${aggregates.calls} - ${aggregates.errors}`;
  const n = errors === undefined ? aggregates.calls : failed;
  return read(`SELECT ${n} AS n FROM ${aggregates.table} WHERE ${where.sql}`, where);
}

/** Partitions of whole days are selected by name, so that the call time, the widest column, is not read. */
function countSql(range: TimeRange, filters: CallFilters): string {
  const { sql } = allOf(whereCalls(filters));
  const inAll = inRange('started_at', range).sql;
  if (toWholeDays(range) === undefined) return `(SELECT count() FROM calls WHERE ${inAll} AND ${sql})`;
  const day = (name: string): string => `toDate(fromUnixTimestamp64Milli({${name}:Int64}, 'UTC'))`;
  const inParts = `_partition_id >= toString(toYYYYMMDD(${day('first_day_ms')})) AND _partition_id < toString(toYYYYMMDD(${day('end_day_ms')}))`;
  const atEdges = `(toDate(started_at) < ${day('first_day_ms')} OR toDate(started_at) >= ${day('end_day_ms')})`;
  return `(SELECT count() FROM calls WHERE ${inParts} AND ${sql}) + (SELECT count() FROM calls WHERE ${inAll} AND ${atEdges} AND ${sql})`;
}

function toDayParams(range: TimeRange): Where['params'] {
  const days = toWholeDays(range);
  return days === undefined ? {} : { first_day_ms: days.fromMs, end_day_ms: days.toMs };
}

/** Servers without a tool call have no window: they have few requests, and all of them are read. */
function inNewestCalls(windows: readonly CallWindow[]): Where {
  const cut = groupWindows(windows.filter(({ isWhole }) => !isWhole));
  return {
    sql: cut
      .map(
        (_, at) =>
          `(server_name NOT IN {cut_servers_${at}:Array(String)} OR started_at >= fromUnixTimestamp64Milli({cut_from_${at}:Int64}, 'UTC'))`,
      )
      .join(' AND '),
    params: Object.fromEntries(
      cut.flatMap(({ servers, fromMs }, at) => [
        [`cut_servers_${at}`, servers],
        [`cut_from_${at}`, fromMs],
      ]),
    ),
  };
}

interface NewestCallsOptions {
  /** The newest calls to read, whatever the filters. */
  readonly newest: Where;
  readonly filters: CallFilters;
}

/** Index of the grouping set, the counts of each value, and which filter was left out. */
const ValueRow = z.object({ at: count, value: z.string(), counts: z.array(count) });

/**
 * Reads the values of all filters in one pass: each filter is a grouping set, and each active filter is left
 * out once.
 */
async function readValues(
  { newest, filters }: NewestCallsOptions,
  { store }: QueryContext,
): Promise<CallValuesResponse['values']> {
  const set = SUGGESTED_FILTERS.filter((name) => filters[name] !== undefined);
  const { sql, params } = allOf(newest, whereCalls(omitFilters(filters, set)));
  const misses = set.map((name) => `(${whereFilters('calls', { [name]: filters[name] }).sql} ? 0 : 1)`);
  const own = whereFilters('calls', Object.fromEntries(set.map((name) => [name, filters[name]])));
  const rows = await store.query({
    sql: valuesSql({ where: sql, misses }),
    params: { ...params, ...own.params },
    row: ValueRow,
  });
  return SUGGESTED_FILTERS.map((filter, at) => {
    const index = set.indexOf(filter) + 1;
    const values = rows
      .filter((row) => row.at === at && row.value !== '')
      .map(({ value, counts }) => ({ value, count: counts[index] ?? 0 }))
      .filter((one) => one.count > 0)
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
    return { filter, values: values.slice(0, MAX_VALUES) };
  });
}

function valuesSql({
  where,
  misses,
}: {
  readonly where: string;
  readonly misses: readonly string[];
}): string {
  const columns = SUGGESTED_FILTERS.map(toColumn);
  const missed = misses.length === 0 ? '0' : misses.join(' + ');
  const leavingOut = misses.map((miss) => `countIf(missed = ${miss})`);
  // `grouping` has a 1 for every column outside the set; the first column is the most significant bit.
  const bits = columns.map((_, at) => `bitTest(sets, ${columns.length - 1 - at}) = 0, ${at}`);
  return `
    SELECT multiIf(${bits.join(', ')}, ${columns.length}) AS at, value, counts
    FROM (
      SELECT
        grouping(${columns.join(', ')}) AS sets,
        concat(${columns.map((column) => `toString(${column})`).join(', ')}) AS value,
        [${['countIf(missed = 0)', ...leavingOut].join(', ')}] AS counts
      FROM (SELECT ${columns.join(', ')}, ${missed} AS missed FROM calls WHERE ${where} AND missed <= 1)
      GROUP BY GROUPING SETS (${columns.map((column) => `(${column})`).join(', ')})
    )
    ORDER BY arrayMax(counts) DESC, value
    LIMIT ${5 * MAX_VALUES} BY at`;
}

const PatternRow = z.object({
  server: z.string(),
  tool: z.string(),
  of_outcome: z.enum(OUTCOMES),
  of_fault: z.enum(FAULTS),
  code: z.string(),
  message: z.string(),
  argument: z.string(),
  n: count,
});

async function readPatterns(
  { newest, filters }: NewestCallsOptions,
  { store }: QueryContext,
): Promise<ErrorPattern[]> {
  const others = omitFilters(filters, ['outcome', 'fault', 'code', 'message', 'argument', 'errors']);
  const { sql, params } = allOf(newest, rawSql(`fault != 'none'`), whereCalls(others));
  const rows = await store.query({ sql: patternsSql(sql), params, row: PatternRow });
  return rows.map(({ of_outcome: outcome, of_fault: fault, n, ...rest }) => ({
    ...rest,
    outcome,
    fault,
    count: n,
  }));
}

const patternsSql = (where: string) => `
    SELECT
      toString(server_name) AS server,
      toString(tool_name) AS tool,
      toString(outcome) AS of_outcome,
      toString(fault) AS of_fault,
      toString(error_code) AS code,
      error_message AS message,
      toString(error_argument) AS argument,
      count() AS n
    FROM calls
    WHERE ${where}
    GROUP BY server, tool, of_outcome, of_fault, code, message, argument
    ORDER BY n DESC, server, tool, code, message, argument
    LIMIT ${MAX_PATTERNS}`;

function omitFilters(
  filters: CallFilters,
  names: readonly (SuggestedFilter | 'message' | 'errors')[],
): CallFilters {
  return { ...filters, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

// What the calls of tools talk to, and how much of their time that takes. One read of `child_spans`, which is sorted by server
// and tool. A span inside a span of a dependency is part of its time and not counted again.

import { z } from 'zod';
import type { DependenciesResponse } from '../../../contract/child-spans.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import { CHILD_SPAN_KINDS } from '../../../core/model/child-span.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { UserError } from '../../../errors.ts';
import { count } from '../../store/row-codec.ts';
import { allOf, type CommonFilters, findMissingFilter, pickFilters, whereFilters } from '../query/filters.ts';
import { alignRange, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';

const MAX_DEPENDENCIES = 200;

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  of_dependency: z.string(),
  kind: z.enum(CHILD_SPAN_KINDS),
  spans: count,
  errors: count,
  p95: z.number().nullable(),
  total: count,
  calls: count,
  calls_time: count,
  first_us: count,
});
type Row = z.infer<typeof Row>;

/**
 * The dependencies of the tools that the filters select.
 *
 * @throws UserError INVALID_PARAMETER for the filter `plan`, which child spans do not have
 */
export async function getDependencies(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<DependenciesResponse> {
  const { range: requested, ...filters } = query;
  const range = alignRange(requested, context);
  assertFilters(filters);
  const where = whereFilters('child_spans', pickFilters('child_spans', filters));
  const { sql, params } = allOf(inRange('started_at', range), where);
  const rows = await context.store.query({ sql: dependenciesSql(sql), params, row: Row });
  const timeOf = sumBy(rows, ({ server, tool }) => JSON.stringify([server, tool]));
  const dependencies = rows
    .filter((row) => row.of_dependency !== '' && row.spans > 0)
    .map((row) => toDependency(row, timeOf.get(JSON.stringify([row.server, row.tool])) ?? 0))
    .sort((one, other) => other.totalMs - one.totalMs || (one.dependency < other.dependency ? -1 : 1));
  return {
    range,
    firstAt: rows.length === 0 ? null : formatIso(Math.min(...rows.map(({ first_us }) => first_us))),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    callsMs: rows.reduce((sum, { calls_time }) => sum + calls_time, 0) / 1_000,
    dependencies: dependencies.slice(0, MAX_DEPENDENCIES),
  };
}

function assertFilters(filters: CommonFilters): void {
  const field = findMissingFilter('child_spans', filters);
  if (field === undefined) return;
  throw new UserError('INVALID_PARAMETER', `Dependencies cannot be filtered by "${field}".`, {
    field,
    hint: `Leave "${field}" out.`,
  });
}

function sumBy(rows: readonly Row[], toKey: (row: Row) => string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(toKey(row), (sums.get(toKey(row)) ?? 0) + row.calls_time);
  return sums;
}

function toDependency(row: Row, callsTime: number): DependenciesResponse['dependencies'][number] {
  const { server, tool, of_dependency: dependency, kind, spans, errors, p95, total } = row;
  return {
    ...{ server, tool, dependency, kind, spans, errors },
    errorRate: errors / spans,
    p95Ms: (p95 ?? 0) / 1_000,
    totalMs: total / 1_000,
    timeShare: callsTime === 0 ? 0 : total / callsTime,
  };
}

const dependenciesSql = (where: string): string => `
    SELECT
      toString(server_name) AS server,
      toString(tool_name) AS tool,
      toString(dependency) AS of_dependency,
      toString(any(kind)) AS kind,
      countIf(NOT is_nested) AS spans,
      countIf(failed AND NOT is_nested) AS errors,
      quantileBFloat16If(0.95)(duration_us, NOT is_nested) AS p95,
      sumIf(duration_us, NOT is_nested) AS total,
      countIf(call_us > 0) AS calls,
      sum(call_us) AS calls_time,
      toUnixTimestamp64Micro(min(started_at)) AS first_us
    FROM child_spans
    WHERE ${where}
    GROUP BY server_name, tool_name, dependency`;

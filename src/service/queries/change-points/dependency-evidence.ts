// What dependencies have of the excess of a change: of the time of its calls if it is of the latency, of its failed
// calls if it is of errors. Read once, when a change is detected.
//
// The key of `child_spans` is server, tool and hour. One statement reads a day of one tool.

import { z } from 'zod';
import type { ChangePoint } from '../../../core/change-points/change-point.ts';
import type { DependencyPart } from '../../../core/change-points/rank-causes.ts';
import { count } from '../../store/row-codec.ts';
import type { StoreReader } from '../../store/store.ts';
import { allOf, whereGiven } from '../query/filters.ts';
import { ofServer, type ServerScope } from './minute-range.ts';

const DAY_MINUTES = 1_440;
/** Calls with child spans before and since the onset without which no dependency is named. */
const MIN_CALLS = { before: 20, after: 5 } as const;

const Row = z.object({
  of_dependency: z.string(),
  time_before: count,
  time_after: count,
  failed_before: count,
  failed_after: count,
  /** Of all calls with child spans; each call is counted with one of its dependencies. */
  calls_before: count,
  calls_after: count,
  calls_time_before: count,
  calls_time_after: count,
});
export type DependencyRow = z.infer<typeof Row>;

/** Calls of the change and of the day before, and failed ones among them. */
export interface CallCounts {
  readonly callsBefore: number;
  readonly callsAfter: number;
  readonly hitsBefore: number;
  readonly hitsAfter: number;
}

/** @throws UpstreamError as `Store` does */
export async function readDependencyRows(
  { tool, onset, detected }: ChangePoint,
  server: ServerScope,
  store: StoreReader,
): Promise<DependencyRow[]> {
  const where = allOf(
    ofServer(server),
    whereGiven('tool_name = {tool:String}', { tool: tool === '' ? undefined : tool }),
  );
  return store.query({
    sql: `
    SELECT
      toString(dependency) AS of_dependency,
      sumIf(duration_us, NOT is_after AND NOT is_nested) AS time_before,
      sumIf(duration_us, is_after AND NOT is_nested) AS time_after,
      uniqExactIf(trace_id, span_id, NOT is_after AND failed) AS failed_before,
      uniqExactIf(trace_id, span_id, is_after AND failed) AS failed_after,
      countIf(NOT is_after AND call_us > 0) AS calls_before,
      countIf(is_after AND call_us > 0) AS calls_after,
      sumIf(call_us, NOT is_after) AS calls_time_before,
      sumIf(call_us, is_after) AS calls_time_after
    FROM (
      SELECT *, started_at >= fromUnixTimestamp({onset_s:Int64}) AS is_after
      FROM child_spans
      WHERE ${where.sql} AND started_at >= fromUnixTimestamp({from_s:Int64}) AND started_at < fromUnixTimestamp({to_s:Int64})
    )
    GROUP BY of_dependency
    ORDER BY of_dependency
    LIMIT 500`,
    params: {
      ...where.params,
      onset_s: onset * 60,
      from_s: (onset - DAY_MINUTES) * 60,
      to_s: (detected + 1) * 60,
    },
    row: Row,
  });
}

/** The share of the excess of each dependency; none without enough calls with child spans. */
export function toDependencyParts(
  rows: readonly DependencyRow[],
  { kind, counts }: { readonly kind: ChangePoint['kind']; readonly counts: CallCounts },
): DependencyPart[] {
  const sum = (field: Exclude<keyof DependencyRow, 'of_dependency'>): number =>
    rows.reduce((total, row) => total + row[field], 0);
  const [before, after] = [sum('calls_before'), sum('calls_after')];
  if (kind === 'calls' || before < MIN_CALLS.before || after < MIN_CALLS.after) return [];
  const { callsBefore, callsAfter, hitsBefore, hitsAfter } = counts;
  const isErrors = kind === 'errors';
  const excess = isErrors
    ? hitsAfter / Math.max(1, callsAfter) - hitsBefore / Math.max(1, callsBefore)
    : sum('calls_time_after') / after - sum('calls_time_before') / before;
  if (excess === 0) return [];
  return rows
    .filter(({ of_dependency }) => of_dependency !== '')
    .map(({ of_dependency: name, failed_before, failed_after, time_before, time_after }) => {
      const own = isErrors
        ? failed_after / Math.max(1, callsAfter) - failed_before / Math.max(1, callsBefore)
        : time_after / after - time_before / before;
      return { name, share: Math.min(1, Math.max(0, own / excess)) };
    });
}

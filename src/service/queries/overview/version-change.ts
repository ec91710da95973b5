// The version since which a tool fails more: calls of that version and later fail more often than earlier
// ones, by more than chance. It appears in the verdict's sentence, so it is reported only if certain.
//
// Serves the verdict on the overview. The key of `tool_minutes` is server, hour and tool; that of
// `name_sightings` is server and part.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource } from '../query/call-source.ts';
import { allOf, type CommonFilters, canFilter, pickFilters, whereFilters } from '../query/filters.ts';
import { hasCalls, toPreviousRange } from '../query/grain.ts';
import type { ErrorCount } from '../query/proportion.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Minimum calls on both sides. */
const MIN_CALLS = 20;
/** Minimum change of the error rate worth reporting. */
const MIN_RATE_CHANGE = 0.05;
/** Newest versions considered per server. */
const MAX_VERSIONS = 20;

/** Both ranges together; beyond it there are too many minutes to read for the head of a page. */
const MAX_RANGE_MS = 15 * 86_400_000;

/** Calls of one tool served by one version. */
export interface VersionCalls {
  readonly version: string;
  /** First request of the version, in epoch milliseconds. */
  readonly firstMs: number;
  /** In the range and the previous one. */
  readonly all: ErrorCount;
  readonly inRange: ErrorCount;
}

export interface VersionChange extends ErrorCount {
  readonly version: string;
  readonly before: ErrorCount;
}

/**
 * The version that started the change; of several significant ones, the one with the greatest difference.
 *
 * @param versions in the order in which they were first seen
 * @param fromMs versions known before this are not candidates
 */
export function findVersionChange(
  versions: readonly VersionCalls[],
  fromMs: number,
): VersionChange | undefined {
  const changes = versions.flatMap(({ version, firstMs }, at) => {
    if (at === 0 || firstMs < fromMs) return [];
    const after = sumCounts(versions.slice(at).map((one) => one.inRange));
    const before = sumCounts(versions.slice(0, at).map((one) => one.all));
    return isSurelyHigher(before, after) ? [{ version, ...after, before }] : [];
  });
  const toIncrease = (change: VersionChange) => toRate(change) - toRate(change.before);
  return changes.sort((one, other) => toIncrease(other) - toIncrease(one))[0];
}

function isSurelyHigher(before: ErrorCount, after: ErrorCount): boolean {
  if (Math.min(before.calls, after.calls) < MIN_CALLS) return false;
  const [was, is] = [before, after].map(({ errors, calls }) => toProportion(errors, calls));
  return toRate(after) - toRate(before) >= MIN_RATE_CHANGE && (is?.low ?? 0) > (was?.high ?? 1);
}

const toRate = ({ errors, calls }: ErrorCount): number => errors / calls;
const sumCounts = (counts: readonly ErrorCount[]): ErrorCount => ({
  calls: counts.reduce((all, { calls }) => all + calls, 0),
  errors: counts.reduce((all, { errors }) => all + errors, 0),
});

const Row = z.object({
  version: z.string(),
  first_us: count,
  n: count,
  failed: count,
  n_in: count,
  failed_in: count,
});

interface VersionChangeQuery {
  readonly range: TimeRange;
  /** With `server` and `tool`. */
  readonly filters: CommonFilters & { readonly server: string; readonly tool: string };
}

/** Compares with a time before the range that is as long as the range, up to a week. */
export async function readVersionChange(
  { range, filters }: VersionChangeQuery,
  context: QueryContext,
): Promise<VersionChange | undefined> {
  const span = { fromMs: toPreviousRange(range, context).fromMs, toMs: range.toMs };
  const isInMinutes = hasCalls(span, context) && canFilter('tool_minutes', filters);
  if (!isInMinutes || filters.version !== undefined || span.toMs - span.fromMs > MAX_RANGE_MS)
    return undefined;
  const { where } = toCallSource('minutes', { range: span, filters });
  const inside = `bucket >= fromUnixTimestamp64Milli({begin_ms:Int64}, 'UTC')`;
  const firstSeen = allOf(whereFilters('name_sightings', pickFilters('name_sightings', filters)));
  const rows = await context.store.query({
    sql: `
    SELECT version, first_us, n, failed, n_in, failed_in
    FROM (
      SELECT
        toString(server_version) AS version,
        sum(calls) AS n,
        sum(errors) AS failed,
        sumIf(calls, ${inside}) AS n_in,
        sumIf(errors, ${inside}) AS failed_in
      FROM tool_minutes
      WHERE ${where.sql} AND server_version != ''
      GROUP BY version
    ) AS answered
    INNER JOIN (
      SELECT toString(name) AS version, toUnixTimestamp64Micro(min(first_seen)) AS first_us
      FROM name_sightings
      WHERE part = 'version' AND ${firstSeen.sql}
      GROUP BY version
    ) AS sighted USING (version)
    ORDER BY first_us DESC
    LIMIT ${MAX_VERSIONS}`,
    params: { ...where.params, ...firstSeen.params, begin_ms: range.fromMs },
    row: Row,
  });
  return findVersionChange(rows.reverse().map(toVersionCalls), span.fromMs);
}

function toVersionCalls(row: z.infer<typeof Row>): VersionCalls {
  return {
    version: row.version,
    firstMs: row.first_us / 1_000,
    all: { calls: row.n, errors: row.failed },
    inRange: { calls: row.n_in, errors: row.failed_in },
  };
}

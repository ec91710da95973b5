// Counts the failures behind a finding before and after a definition was listed, or per version. Before: up
// to two weeks of retained calls. After: calls that met a definition in use; calls of an agent that still
// uses a replaced definition say nothing about the new one.
//
// Serves resolved advice. Reads `calls` of one server by time, as their key is ordered.

import { z } from 'zod';
import type { FilterValue } from '../../../contract/filter-value.ts';
import type { Finding } from '../../../core/advice/finding.ts';
import { count } from '../../store/row-codec.ts';
import { COUNTED_CALLS, clipToRetention } from '../query/call-window.ts';
import { allOf, rawSql, type Where, whereFilters } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { ListedDefinition } from '../tools/definitions.ts';
import type { StoredAdvice } from './advice-repository.ts';
import { orderByFirstSeenSql } from './called-versions.ts';
import { metCurrentDefinition, readOutdatedDefinitions } from './outdated-definitions.ts';

const DAY_MS = 86_400_000;
/** Days before the change that are counted. */
const MAX_DAYS = 14;
/** Rules whose evidence is failed calls. */
const FAILURE_RULES: readonly string[] = ['TD012', 'TD013', 'TD016', 'TD017', 'TD018', 'TD025', 'TD029'];

export const isAboutFailures = ({ rule }: Finding): boolean => FAILURE_RULES.includes(rule);

/** Rules about error messages the tool's author writes; refusals by the SDK do not count. */
export const AUTHOR_ERROR_RULES: readonly string[] = ['TD016', 'TD017', 'TD018'];

const Row = z.object({ n_before: count, n_after: count, before: count, after: count, first_ms: count });

export interface FailureCounts {
  /** Failures like those of the finding, and the number of calls. */
  readonly before: { readonly hits: number; readonly n: number };
  readonly after: { readonly hits: number; readonly n: number };
  /** Time of the first call. */
  readonly firstMs: number;
}

export interface FailureCountQuery {
  readonly server: string;
  readonly environment: FilterValue | undefined;
  readonly finding: Finding;
  /** When the new definition was first listed, in epoch milliseconds. */
  readonly changedMs: number;
  readonly definitions: readonly ListedDefinition[];
}

/** @returns undefined when no single calls are retained any more */
export async function countFailures(
  query: FailureCountQuery,
  context: QueryContext,
): Promise<FailureCounts | undefined> {
  const { server, environment, finding, changedMs, definitions } = query;
  const { tool } = finding;
  const fromMs = Math.max(0, changedMs - MAX_DAYS * DAY_MS);
  const kept = clipToRetention({ fromMs, toMs: context.nowMs }, context);
  if (kept === undefined) return undefined;
  const where = allOf(
    inRange('started_at', kept),
    rawSql(COUNTED_CALLS),
    whereFilters('calls', { server, environment, ...(tool !== '' && { tool }) }),
  );
  // Clients of a concurrent version still meet that version's behaviour.
  const own = definitions
    .filter((listed) => listed.server === server)
    .map((listed) => ({ ...listed, isCurrent: listed.isInUse }));
  const current = metCurrentDefinition(await readOutdatedDefinitions(own, server, context), own);
  const [row] = await context.store.query({
    sql: failureCountsSql(where, { current, isFailure: toFailureCondition(finding) }),
    params: {
      ...where.params,
      ...current.params,
      ...toFailureParams(finding),
      changed_ms: Math.floor(changedMs),
    },
    row: Row,
  });
  if (row === undefined) return undefined;
  return {
    before: { hits: row.before, n: row.n_before },
    after: { hits: row.after, n: row.n_after },
    firstMs: row.first_ms,
  };
}

function failureCountsSql(
  where: Where,
  { current, isFailure }: { readonly current: Where; readonly isFailure: string },
): string {
  return `
    WITH
      started_at < fromUnixTimestamp64Milli({changed_ms:Int64}, 'UTC') AS is_before,
      NOT is_before AND (${allOf(current).sql}) AS is_after,
      fault != 'none' AND (${isFailure}) AS is_failure
    SELECT
      countIf(is_before) AS n_before,
      countIf(is_after) AS n_after,
      countIf(is_failure AND is_before) AS before,
      countIf(is_failure AND is_after) AS after,
      toUnixTimestamp64Milli(toDateTime64(min(started_at), 3, 'UTC')) AS first_ms
    FROM calls
    WHERE ${where.sql}`;
}

/** Failures like those of a finding, and the calls of its tool, by the version that answered them. */
export interface FailuresByVersion {
  /** In the order in which they were first seen. */
  readonly versions: readonly {
    readonly version: string;
    readonly calls: number;
    readonly firstMs: number;
    readonly lastMs: number;
    readonly hasFailed: boolean;
  }[];
  readonly failures: number;
}

const VersionRow = z.object({
  version: z.string(),
  calls: count,
  failed: count,
  first_us: count,
  last_us: count,
});

/** Calls of a finding's tool by version, from two weeks before the finding was last seen until now. */
export async function countFailuresByVersion(
  { server, finding, lastSeenMs }: StoredAdvice,
  environment: FilterValue | undefined,
  context: QueryContext,
): Promise<FailuresByVersion> {
  const kept = clipToRetention(
    { fromMs: Math.max(0, lastSeenMs - MAX_DAYS * DAY_MS), toMs: context.nowMs },
    context,
  );
  if (kept === undefined) return { versions: [], failures: 0 };
  const where = allOf(
    inRange('started_at', kept),
    rawSql(COUNTED_CALLS),
    whereFilters('calls', { server, environment, tool: finding.tool }),
  );
  const rows = await context.store.query({
    sql: orderByFirstSeenSql(`
    SELECT
      server_name AS server,
      toString(server_version) AS version,
      count() AS calls,
      countIf(fault != 'none' AND (${toFailureCondition(finding)})) AS failed,
      toUnixTimestamp64Micro(min(started_at)) AS first_us,
      toUnixTimestamp64Micro(max(started_at)) AS last_us
    FROM calls
    WHERE ${where.sql} AND server_version != ''
    GROUP BY server, version`),
    params: { ...where.params, ...toFailureParams(finding) },
    row: VersionRow,
  });
  return {
    versions: rows.map(({ version, calls, failed, first_us, last_us }) => ({
      ...{ version, calls, firstMs: first_us / 1_000, lastMs: last_us / 1_000, hasFailed: failed > 0 },
    })),
    failures: rows.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/**
 * After a deploy another component may report the same failure: the schema may refuse what the tool itself
 * refused before.
 */
function toFailureCondition({ rule, argument, evidence: { calls } }: Finding): string {
  const own = AUTHOR_ERROR_RULES.includes(rule) ? `outcome IN ('tool_error', 'exception')` : '1';
  const like = `${own} AND ({outcome:String} = '' OR outcome = {outcome:String}) AND ({code:String} = '' OR error_code = {code:String}) AND ({message:String} = '' OR error_message = {message:String})`;
  if (argument === '') return like;
  const isNamed = calls?.code !== undefined || calls?.message !== undefined;
  const refused = `error_argument = {argument:String}`;
  return isNamed ? `(${like}) OR ${refused}` : refused;
}

function toFailureParams({ argument, evidence: { calls } }: Finding): Readonly<Record<string, string>> {
  return { outcome: calls?.outcome ?? '', code: calls?.code ?? '', message: calls?.message ?? '', argument };
}

// The head of the overview: verdict, tiles, their values in the previous range, and data freshness. Rollups
// return the stats of both ranges in one row each; sessions and catalogue use the queries of their own pages,
// so that a tile matches the page behind it.

import { z } from 'zod';
import { getSingleValue } from '../../../contract/filter-value.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { SummaryQuery, SummaryResponse } from '../../../contract/summary.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { IS_LOOP } from '../loops/loops.ts';
import { toRequestSource } from '../query/call-source.ts';
import { toComparisonRange } from '../query/comparison-range.ts';
import { allOf, type CommonFilters, rawSql, whereFilters } from '../query/filters.ts';
import { alignRange, chooseGrain, inRange, isKept, toPreviousRange } from '../query/grain.ts';
import type { ErrorCount } from '../query/proportion.ts';
import type { Freshness, QueryContext } from '../query/query-context.ts';
import { queryNumber, toPercentilesMs } from '../query/row-values.ts';
import { IDENTITY } from '../query/session-identity.ts';
import { countSessions } from '../sessions/sessions.ts';
import { readCallTotals, type ToolTotals } from '../tools/call-totals.ts';
import { type CatalogueTool, readCatalogue } from '../tools/never-called.ts';
import { isWorse, readCurrentHealth } from './current-health.ts';
import { assessHealth, formatCount, formatShare } from './verdict.ts';
import { readVersionChange, type VersionChange } from './version-change.ts';

type Totals = SummaryResponse['totals'];

const DAY_MS = 86_400_000;

const LoopsRow = z.object({ active: count, wasted: count });
const LastEventRow = z.object({ last_seconds: count });

/**
 * The summary of the servers.
 *
 * @param freshness ingest's view of calls that are not in the store yet
 */
export async function getSummary(
  query: ResolvedQuery<SummaryQuery>,
  { context, freshness }: { readonly context: QueryContext; readonly freshness: Freshness },
): Promise<SummaryResponse> {
  const range = alignRange(query.range, context);
  const earlier = toComparisonRange(range, query.compare ?? 'prev', context)?.range;
  const before = earlier !== undefined && isKept(earlier, query, context) ? earlier : undefined;
  const [totals, previous, worst, catalogue, loops, lastEventMs, servers, toCurrentHealth] =
    await Promise.all([
      readTiles(range, query, context),
      before === undefined ? NO_TOTALS : readTiles(before, query, context),
      readWorst(range, query, context),
      readCatalogue(query, context),
      readLoopCounts(range, query, context),
      readLastEventMs(context),
      countServers(range, context),
      readCurrentHealth(query, context),
    ]);
  const { activeLoops, wastedCalls } = loops;
  const neverCalledTools = countNeverCalledAt(catalogue, Number.POSITIVE_INFINITY);
  const isOneServer = getSingleValue(query.server) !== undefined || servers <= 1;
  const ofRange = assessHealth({
    ...totals,
    lastEventMs,
    worst: worst && { ...worst, label: toToolLabel(worst, isOneServer) },
    activeLoops,
    neverCalledTools,
    listedTools: catalogue.length,
  });
  const now = toCurrentHealth({ activeLoops, isOneServer });
  return {
    range,
    ...combineVerdicts({ ofRange, now, totals }, range.toMs >= context.nowMs),
    totals: { ...totals, neverCalledTools },
    previous: {
      ...previous,
      neverCalledTools: before === undefined ? 0 : countNeverCalledAt(catalogue, before.toMs * 1_000),
    },
    previousRange: before ?? null,
    loops: {
      activeSessions: activeLoops,
      wastedCalls,
      wastedShare: totals.calls === 0 ? null : Math.min(1, wastedCalls / totals.calls),
    },
    freshness: {
      lastEventAt: lastEventMs === undefined ? null : formatIso(lastEventMs * 1_000),
      serversReporting: servers,
      ...freshness,
    },
  };
}

/** The tool name alone is unambiguous with a single server. */
const toToolLabel = ({ server, tool }: WorstTool, isOneServer: boolean): string =>
  isOneServer ? tool : `${server}/${tool}`;

type VerdictFields = Pick<SummaryResponse, 'verdict' | 'sentence' | 'now'>;

interface VerdictPair {
  readonly ofRange: Omit<VerdictFields, 'now'>;
  readonly now: NonNullable<SummaryResponse['now']>;
  readonly totals: ErrorCount;
}

/** The worse of both if the range ends now; for a past range, its own verdict. */
function combineVerdicts({ ofRange, now, totals }: VerdictPair, endsNow: boolean): VerdictFields {
  if (!endsNow || !isWorse(now.verdict, ofRange.verdict)) {
    const firing = endsNow ? describeFiringAlerts(now.firingAlerts) : '';
    return { ...ofRange, sentence: ofRange.sentence.replace(/\.$/, `${firing}.`), now };
  }
  const word = { failing: 'Failing', degraded: 'Degraded', looping: 'Looping' }[String(now.verdict)];
  const whole = totals.calls === 0 ? '' : `; ${formatShare(totals)} in the whole range`;
  const sentence = `${word}. ${now.sentence}${whole}${describeFiringAlerts(now.firingAlerts)}.`;
  return { verdict: now.verdict, sentence, now: { ...now, decides: true } };
}

function describeFiringAlerts(alerts: number): string {
  if (alerts === 0) return '';
  return alerts === 1 ? '; 1 alert is firing' : `; ${formatCount(alerts)} alerts are firing`;
}

/** Tools of today's catalogue that were known by then and not yet called. */
function countNeverCalledAt(catalogue: readonly CatalogueTool[], us: number): number {
  return catalogue.filter(
    ({ first_us, first_call_us }) => first_us < us && (first_call_us === 0 || first_call_us >= us),
  ).length;
}

/** For a time whose calls have expired when a filter needs them. */
const NO_TOTALS = {
  calls: 0,
  sessions: 0,
  errors: 0,
  errorRate: null,
  p50Ms: null,
  p95Ms: null,
  sessionsOverThirty: 0,
};

async function readTiles(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<Omit<Totals, 'neverCalledTools'>> {
  const [{ all }, sessions] = await Promise.all([
    readCallTotals({ range, filters }, context),
    countSessions({ filters, range }, context),
  ]);
  const counts = { sessions: sessions.sessions, sessionsOverThirty: sessions.over_thirty };
  if (all === undefined) return { ...NO_TOTALS, ...counts };
  const { p50Ms, p95Ms } = toPercentilesMs(all);
  return {
    calls: all.n,
    errors: all.failed,
    errorRate: all.n === 0 ? null : all.failed / all.n,
    ...{ p50Ms, p95Ms },
    ...counts,
  };
}

interface WorstTool extends ErrorCount {
  readonly server: string;
  readonly tool: string;
  readonly before: ErrorCount;
  readonly since: VersionChange | undefined;
}

/** The tool with the most errors, and its previous stats. */
async function readWorst(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<WorstTool | undefined> {
  const { tools } = await readCallTotals({ range, filters }, context);
  const [worst] = tools.filter(({ kept, failed }) => kept === 1 && failed > 0).sort(compareByErrors);
  if (!worst) return undefined;
  const { server, tool } = worst;
  const [before, since] = await Promise.all([
    readErrors(toPreviousRange(range, context), { filters, server, tool }, context),
    readVersionChange({ range, filters: { ...filters, server, tool } }, context),
  ]);
  return { server, tool, calls: worst.n, errors: worst.failed, before, since };
}

function compareByErrors(one: ToolTotals, other: ToolTotals): number {
  const [name, otherName] = [`${one.server}\n${one.tool}`, `${other.server}\n${other.tool}`];
  return other.failed - one.failed || one.n - other.n || (name < otherName ? -1 : 1);
}

interface ToolScope {
  readonly filters: CommonFilters;
  readonly server: string;
  readonly tool: string;
}

/** From the tool stats that the tiles of the previous range use. */
async function readErrors(
  range: TimeRange,
  { filters, server, tool }: ToolScope,
  context: QueryContext,
): Promise<ErrorCount> {
  if (!isKept(range, filters, context)) return { calls: 0, errors: 0 };
  const { tools } = await readCallTotals({ range, filters }, context);
  const row = tools.find((one) => one.server === server && one.kept === 1 && one.tool === tool);
  return { calls: row?.n ?? 0, errors: row?.failed ?? 0 };
}

/**
 * Sessions with an active loop, and the wasted calls of loops that began in the range: they are not split at range
 * edges. The newest revision of a loop says whether it is active.
 */
async function readLoopCounts(
  range: TimeRange,
  filters: CommonFilters,
  { store }: QueryContext,
): Promise<{ readonly activeLoops: number; readonly wastedCalls: number }> {
  const began = inRange('onset', range);
  const { sql, params } = allOf(rawSql(IS_LOOP), whereFilters('loops', filters));
  const [row] = await store.query({
    sql: `
    SELECT uniqExactIf((${IDENTITY}), state = 'active') AS active, sumIf(wasted_calls, ${began.sql}) AS wasted
    FROM loops FINAL
    WHERE ${sql}`,
    params: { ...began.params, ...params },
    row: LoopsRow,
  });
  return { activeLoops: row?.active ?? 0, wastedCalls: row?.wasted ?? 0 };
}

/**
 * Time of the last stored request, whatever the filters; undefined if there is none. The days before yesterday are read
 * only if there was none since.
 */
async function readLastEventMs({ store, nowMs }: QueryContext): Promise<number | undefined> {
  const yesterdayMs = (Math.floor(nowMs / DAY_MS) - 1) * DAY_MS;
  for (const sinceMs of [yesterdayMs, 0]) {
    const [row] = await store.query({
      sql: `SELECT toUnixTimestamp(max(last_call)) AS last_seconds FROM tool_hours WHERE bucket >= fromUnixTimestamp64Milli({since_ms:Int64}, 'UTC')`,
      params: { since_ms: sinceMs },
      row: LastEventRow,
    });
    if (row !== undefined && row.last_seconds > 0) return row.last_seconds * 1_000;
  }
  return undefined;
}

/** Servers with data in the range. */
function countServers(range: TimeRange, context: QueryContext): Promise<number> {
  const { aggregates, where } = toRequestSource(chooseGrain(range, {}, context), range);
  return queryNumber(context.store, {
    sql: `SELECT uniqExact(server_name) AS n FROM ${aggregates.table} WHERE ${where.sql}`,
    params: where.params,
  });
}

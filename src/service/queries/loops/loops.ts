// The list of loops, and the loops of a session. There are few rows per hundred sessions and one row per
// loop, so the whole range is read and sorted. A loop is rewritten while it is active, so every read uses
// FINAL. Pages are ordered by onset, which hardly ever changes.

import { z } from 'zod';
import {
  LoopEvidenceCall,
  type LoopRow,
  type LoopsQuery,
  type LoopsResponse,
} from '../../../contract/loops.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { LOOP_SEVERITIES, type LoopSeverity } from '../../../core/model/loop-notice.ts';
import type { LoopRecord } from '../../../core/model/loop-record.ts';
import { LOOP_COLUMNS, LoopColumns, toLoopRevision } from '../../store/loop-rows.ts';
import { encodeCursor, parseCursor } from '../query/cursor.ts';
import { allOf, type Filters, rawSql, type Where, whereFilters } from '../query/filters.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { count, toIso } from '../query/row-values.ts';
import { IDENTITY } from '../sessions/session-scope.ts';
import { readLoopEscalations } from './loop-escalations.ts';

/** Minimum severity of a loop; weaker findings are notes. */
export const IS_LOOP = `severity IN ('suspected', 'confirmed')`;

/** The last microsecond of 2099, within the range of the engine's time types. */
const Key = z.tuple([z.int().min(0).max(4_102_444_800_000_000), z.string().regex(/^[0-9a-f]{1,32}$/)]);
type Key = z.infer<typeof Key>;

const CountRow = z.object({ total: count, active: count, wasted: count });
const EvidenceCalls = z.array(LoopEvidenceCall);

/** One page of the loops that overlap the range, newest onset first. */
export async function getLoops(
  query: ResolvedQuery<LoopsQuery>,
  context: QueryContext,
): Promise<LoopsResponse> {
  const { limit, cursor } = query;
  const position = cursor === undefined ? undefined : parseCursor('loops', { text: cursor, key: Key });
  const range = position?.range ?? alignRange(query.range, context);
  const conditions = allOf(whereLoops(query), overlapsRange(range), matchesLoopQuery(query));
  const page = allOf(conditions, isAfterCursor(position?.after));
  const [rows, [counts]] = await Promise.all([
    context.store.query({ sql: pageSql(page, limit), params: page.params, row: LoopColumns }),
    context.store.query({ sql: countSql(conditions), params: conditions.params, row: CountRow }),
  ]);
  const last = rows[limit - 1];
  const escalations = await readLoopEscalations(rows, context);
  return {
    range,
    loops: rows.slice(0, limit).map((row) => toLoopRow(row, { ...context, escalations })),
    total: counts?.total ?? 0,
    active: counts?.active ?? 0,
    wastedCalls: counts?.wasted ?? 0,
    nextCursor:
      rows.length > limit && last ? encodeCursor('loops', { range, after: [last.onset_us, last.id] }) : null,
  };
}

const pageSql = ({ sql }: Where, limit: number) => `
    SELECT ${LOOP_COLUMNS}
    FROM loops FINAL
    WHERE ${sql}
    ORDER BY onset DESC, id DESC
    LIMIT ${limit + 1}`;

const countSql = ({ sql }: Where) => `
    SELECT count() AS total, countIf(state = 'active') AS active, sum(wasted_calls) AS wasted
    FROM loops FINAL
    WHERE ${sql}`;

/** The common filters, except version, which belongs to the session and is not a column of loops. */
export function whereLoops(filters: Filters): Where {
  const { tool, version } = filters;
  return allOf(
    whereFilters(filters, ['server', 'environment', 'client', 'plan', 'session']),
    tool === undefined ? rawSql('') : { sql: 'has(tools, {tool:String})', params: { tool } },
    version === undefined
      ? rawSql('')
      : {
          sql: `(${IDENTITY}) IN (SELECT ${IDENTITY} FROM sessions WHERE server_version = {version:String})`,
          params: { version },
        },
  );
}

function matchesLoopQuery({
  state,
  severity,
  kind,
  storm,
  alone,
}: Pick<LoopsQuery, 'state' | 'severity' | 'kind' | 'storm' | 'alone'>): Where {
  return allOf(
    { sql: 'severity IN {severities:Array(String)}', params: { severities: listSeveritiesFrom(severity) } },
    state === undefined ? rawSql('') : { sql: 'state = {state:String}', params: { state } },
    kind === undefined ? rawSql('') : { sql: 'kind = {kind:String}', params: { kind } },
    storm === undefined ? rawSql('') : { sql: 'storm_id = {storm:String}', params: { storm } },
    rawSql(alone === 'true' ? `storm_id = ''` : ''),
  );
}

function listSeveritiesFrom(weakest: LoopSeverity): readonly LoopSeverity[] {
  return LOOP_SEVERITIES.slice(LOOP_SEVERITIES.indexOf(weakest));
}

export function overlapsRange({ fromMs, toMs }: TimeRange): Where {
  return {
    sql: `last_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND onset < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`,
    params: { from_ms: fromMs, to_ms: toMs },
  };
}

function isAfterCursor(key: Key | undefined): Where {
  if (!key) return rawSql('');
  return {
    sql: `(onset, id) < (fromUnixTimestamp64Micro({key_us:Int64}, 'UTC'), {key_id:String})`,
    params: { key_us: key[0], key_id: key[1] },
  };
}

/** All findings of one session, including notes, oldest first. */
export async function readLoopsOfSession(
  session: { readonly server_name: string; readonly session_source: string; readonly session_id: string },
  context: QueryContext,
): Promise<LoopRow[]> {
  const rows = await context.store.query({
    sql: `
    SELECT ${LOOP_COLUMNS}
    FROM loops FINAL
    WHERE server_name = {server:String} AND session_source = {source:String} AND session_id = {id:String}
      AND ${IS_LOOP}
    ORDER BY onset, id`,
    params: { server: session.server_name, source: session.session_source, id: session.session_id },
    row: LoopColumns,
  });
  const escalations = await readLoopEscalations(rows, context);
  return rows.map((row) => toLoopRow(row, { ...context, escalations }));
}

interface LoopRowOptions extends Pick<QueryContext, 'tokenPrice'> {
  readonly escalations: Awaited<ReturnType<typeof readLoopEscalations>>;
}

function toLoopRow(row: LoopColumns, { tokenPrice, escalations }: LoopRowOptions): LoopRow {
  const { record } = toLoopRevision(row);
  return {
    id: record.id,
    sessionId: record.sessionId,
    source: record.sessionSource,
    server: record.server,
    environment: record.environment,
    client: record.client,
    planId: record.planId,
    kind: record.kind,
    severity: record.severity,
    state: record.state,
    tools: [...record.tools],
    period: record.period,
    repeats: record.repeats,
    wastedCalls: record.wastedCalls,
    wastedMs: record.wastedUs / 1_000,
    wastedTokens: record.wastedTokens,
    ...toCost(record, tokenPrice),
    cause: record.cause,
    causeSentence: record.causeSentence,
    stormId: record.stormId,
    treeId: record.treeId,
    treeSessions: record.treeSessions,
    becameLoop: escalations.get(record.id) ?? null,
    onset: toIso(record.onsetUs),
    lastAt: toIso(record.lastUs),
    detectedAt: toIso(record.detectedUs),
    sentence: record.sentence,
    evidence: EvidenceCalls.parse(record.evidence),
    thresholds: { ...record.thresholds },
    detectorVersion: record.detectorVersion,
  };
}

/** Earlier versions did not count tokens. */
const MIN_VERSION_WITH_TOKENS = 2;

function toCost(
  { wastedTokens, detectorVersion }: LoopRecord,
  price: QueryContext['tokenPrice'],
): Pick<LoopRow, 'wastedCost' | 'costCurrency'> {
  if (!price || detectorVersion < MIN_VERSION_WITH_TOKENS) return { wastedCost: null, costCurrency: null };
  return { wastedCost: (wastedTokens * price.perMillion) / 1_000_000, costCurrency: price.currency };
}

// The page of loops, and the loops of a session. Few rows per hundred sessions and one row a loop, so the whole range is
// read and sorted; a loop is written again as it goes on, so every read uses FINAL. Pages follow the onset, which hardly
// ever changes.

import { z } from 'zod';
import { LoopEvidenceCall, type LoopRow, type LoopsAnswer, type LoopsQuery } from '../../contract/loops.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { LOOP_SEVERITIES, type LoopSeverity } from '../../core/model/loop-notice.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import { LOOP_COLUMNS, LoopColumns, toLoopRevision } from '../store/loop-rows.ts';
import { readBecameLoop } from './became-loop.ts';
import { encodeCursor, parseCursor } from './cursor.ts';
import { allOf, always, type Filters, type Where, whereFilters } from './filters.ts';
import { alignRange } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, toIso } from './row-values.ts';
import { IDENTITY } from './session-scope.ts';

/** From which severity on a finding counts as a loop; weaker ones are notes. */
export const IS_LOOP = `severity IN ('suspected', 'confirmed')`;

/** The last microsecond of 2099, which the engine's times still hold. */
const Key = z.tuple([z.int().min(0).max(4_102_444_800_000_000), z.string().regex(/^[0-9a-f]{1,32}$/)]);
type Key = z.infer<typeof Key>;

const CountRow = z.object({ total: count, active: count, wasted: count });
const Evidence = z.array(LoopEvidenceCall);

/** One page of the loops that lie in the range at least in part, newest onset first. */
export async function answerLoops(query: Resolved<LoopsQuery>, asking: Asking): Promise<LoopsAnswer> {
  const { limit, cursor } = query;
  const place = cursor === undefined ? undefined : parseCursor('loops', { text: cursor, key: Key });
  const range = place?.range ?? alignRange(query.range, asking);
  const wanted = allOf(whereLoops(query), liesIn(range), isOf(query));
  const page = allOf(wanted, isBeyond(place?.after));
  const [rows, [counts]] = await Promise.all([
    asking.store.query({ sql: pageSql(page, limit), params: page.params, row: LoopColumns }),
    asking.store.query({ sql: countSql(wanted), params: wanted.params, row: CountRow }),
  ]);
  const last = rows[limit - 1];
  const became = await readBecameLoop(rows, asking);
  return {
    range,
    loops: rows.slice(0, limit).map((row) => toLoopRow(row, { ...asking, became })),
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

/** The common filters; a version is one of the session's, which the loop does not know. */
export function whereLoops(filters: Filters): Where {
  const { tool, version } = filters;
  return allOf(
    whereFilters(filters, ['server', 'environment', 'client', 'plan', 'session']),
    tool === undefined ? always('') : { sql: 'has(tools, {tool:String})', params: { tool } },
    version === undefined
      ? always('')
      : {
          sql: `(${IDENTITY}) IN (SELECT ${IDENTITY} FROM sessions WHERE server_version = {version:String})`,
          params: { version },
        },
  );
}

function isOf({
  state,
  severity,
  kind,
  storm,
  alone,
}: Pick<LoopsQuery, 'state' | 'severity' | 'kind' | 'storm' | 'alone'>): Where {
  return allOf(
    { sql: 'severity IN {severities:Array(String)}', params: { severities: fromOn(severity) } },
    state === undefined ? always('') : { sql: 'state = {state:String}', params: { state } },
    kind === undefined ? always('') : { sql: 'kind = {kind:String}', params: { kind } },
    storm === undefined ? always('') : { sql: 'storm_id = {storm:String}', params: { storm } },
    always(alone === 'true' ? `storm_id = ''` : ''),
  );
}

function fromOn(weakest: LoopSeverity): readonly LoopSeverity[] {
  return LOOP_SEVERITIES.slice(LOOP_SEVERITIES.indexOf(weakest));
}

export function liesIn({ fromMs, toMs }: TimeRange): Where {
  return {
    sql: `last_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND onset < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`,
    params: { from_ms: fromMs, to_ms: toMs },
  };
}

function isBeyond(key: Key | undefined): Where {
  if (!key) return always('');
  return {
    sql: `(onset, id) < (fromUnixTimestamp64Micro({key_us:Int64}, 'UTC'), {key_id:String})`,
    params: { key_us: key[0], key_id: key[1] },
  };
}

/** Everything found in one session, notes too, oldest first. */
export async function readLoopsOf(
  session: { readonly server_name: string; readonly session_source: string; readonly session_id: string },
  asking: Asking,
): Promise<LoopRow[]> {
  const rows = await asking.store.query({
    sql: `
    SELECT ${LOOP_COLUMNS}
    FROM loops FINAL
    WHERE server_name = {server:String} AND session_source = {source:String} AND session_id = {id:String}
      AND ${IS_LOOP}
    ORDER BY onset, id`,
    params: { server: session.server_name, source: session.session_source, id: session.session_id },
    row: LoopColumns,
  });
  const became = await readBecameLoop(rows, asking);
  return rows.map((row) => toLoopRow(row, { ...asking, became }));
}

interface RowOptions extends Pick<Asking, 'tokenPrice'> {
  readonly became: Awaited<ReturnType<typeof readBecameLoop>>;
}

function toLoopRow(row: LoopColumns, { tokenPrice, became }: RowOptions): LoopRow {
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
    ...costOf(record, tokenPrice),
    cause: record.cause,
    causeSentence: record.causeSentence,
    stormId: record.stormId,
    treeId: record.treeId,
    treeSessions: record.treeSessions,
    becameLoop: became.get(record.id) ?? null,
    onset: toIso(record.onsetUs),
    lastAt: toIso(record.lastUs),
    detectedAt: toIso(record.detectedUs),
    sentence: record.sentence,
    evidence: Evidence.parse(record.evidence),
    thresholds: { ...record.thresholds },
    detectorVersion: record.detectorVersion,
  };
}

/** Before this version nobody counted tokens. */
const COUNTS_TOKENS = 2;

function costOf(
  { wastedTokens, detectorVersion }: LoopRecord,
  price: Asking['tokenPrice'],
): Pick<LoopRow, 'wastedCost' | 'costCurrency'> {
  if (!price || detectorVersion < COUNTS_TOKENS) return { wastedCost: null, costCurrency: null };
  return { wastedCost: (wastedTokens * price.perMillion) / 1_000_000, costCurrency: price.currency };
}

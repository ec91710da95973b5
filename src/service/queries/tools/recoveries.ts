// What agents did after errors when they got past them, learned from the newest calls of each server.
//
// Serves the tool page and `toolscope recovery-hints`. `calls` is sorted by server and time, so the windows bound the
// read; only sessions with an error are read in full.

import { z } from 'zod';
import { passesFilter } from '../../../contract/filter-value.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { RecoveriesResponse, RecoveryRow } from '../../../contract/recoveries.ts';
import { describeRecovery, toRecoveryHint, toRecoveryText } from '../../../core/advice/describe-recovery.ts';
import { type LearnedRecovery, learnRecoveries } from '../../../core/advice/learned-recovery.ts';
import type { FollowedCall, FollowedSession } from '../../../core/advice/recovery-attempts.ts';
import { OUTCOMES } from '../../../core/model/outcome.ts';
import { ATTR_ERROR_TOOLS } from '../../../core/semconv/toolscope-attributes.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { inWindows, readCallWindows } from '../query/call-window.ts';
import { compareColumn, whereFilter } from '../query/filter-condition.ts';
import { allOf, whereFilters } from '../query/filters.ts';
import { alignRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';
import { toDisplayFilters } from './call-order.ts';

/** Newest calls of each server from which is learned. */
const MAX_CALLS = 5_000;
/** Rows for all servers together. */
const MAX_ROWS = 20_000;
/** After this silence a session's last call counts as final. */
const MIN_SILENCE_MS = 5 * 60_000;

const Outcome = z.enum(OUTCOMES);

const Row = z.object({
  session: z.string(),
  server: z.string(),
  tool: z.string(),
  started_us: count,
  duration: count,
  ending: z.enum(['ok', 'failed', 'other']),
  /** Empty without a fault. */
  failed_outcome: z.union([Outcome, z.literal('')]),
  code: z.string(),
  template: z.string(),
  argument: z.string(),
  named_tools: z.array(z.string()),
  key_id: z.string(),
  each_arg: z.record(z.string(), z.string()),
});
type Row = z.infer<typeof Row>;

/** For each error of each tool, the steps that worked better than all others. */
export async function getRecoveries(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<RecoveriesResponse> {
  const range = alignRange(query.range, context);
  const { tool, ...filters } = query;
  const windows = await readCallWindows({ range, filters, maxCalls: MAX_CALLS }, context);
  if (windows.length === 0) return { range, recoveries: [] };
  // The next call of a session stays the next one, whatever version answered it.
  const shown = allOf(
    whereFilters('calls', toDisplayFilters(filters)),
    whereFilter('of_tool', tool, compareColumn('tool_name')),
  );
  const all = inWindows(windows, { environment: query.environment });
  const rows = await context.store.query({
    sql: recoveriesSql(all.sql, shown.sql),
    params: { ...all.params, ...shown.params },
    row: Row,
  });
  const silentMs = Math.min(windows[0]?.toMs ?? context.nowMs, context.nowMs - MIN_SILENCE_MS);
  const recoveries = learnRecoveries(toSessions(rows, silentMs))
    .filter((one) => passesFilter(tool, one.tool))
    .map(toRecoveryRow);
  return { range, recoveries };
}

const recoveriesSql = (where: string, shown: string) => `
    SELECT
      toString(${IDENTITY_HASH}) AS session,
      server_name AS server,
      tool_name AS tool,
      toUnixTimestamp64Micro(started_at) AS started_us,
      duration_us AS duration,
      multiIf(outcome = 'ok' AND error_in_result = 0, 'ok', fault != 'none' OR error_in_result != 0, 'failed', 'other') AS ending,
      if(fault = 'none', '', toString(outcome)) AS failed_outcome,
      toString(error_code) AS code,
      if(fault = 'none', '', error_message) AS template,
      toString(error_argument) AS argument,
      arrayFilter(name -> name != '', splitByChar('+', attributes['${ATTR_ERROR_TOOLS}'])) AS named_tools,
      toString(fingerprint_key_id) AS key_id,
      mapApply((name, value) -> (name, toString(value)), argument_fingerprints) AS each_arg
    FROM calls
    WHERE ${where} AND session_id != '' AND session_source != 'none' AND ${IDENTITY_HASH} IN (
      SELECT ${IDENTITY_HASH} FROM calls WHERE ${where} AND session_id != '' AND fault != 'none' AND ${shown}
    )
    ORDER BY ${IDENTITY_HASH}, started_at, span_id
    LIMIT ${MAX_ROWS}`;

function toSessions(rows: readonly Row[], silentMs: number): FollowedSession[] {
  const sessions = [...groupBy(rows, ({ session }) => session).values()];
  return sessions.map((own, at) => {
    // The limit may have cut the last session.
    const isWhole = rows.length < MAX_ROWS || at < sessions.length - 1;
    const isSilent = (own.at(-1)?.started_us ?? 0) / 1_000 < silentMs;
    return { server: own[0]?.server ?? '', calls: own.map(toFollowedCall), isOver: isWhole && isSilent };
  });
}

function toFollowedCall(row: Row): FollowedCall {
  const startedAtMs = row.started_us / 1_000;
  return {
    tool: row.tool,
    startedAtMs,
    endedAtMs: startedAtMs + row.duration / 1_000,
    ending: row.ending,
    error: {
      outcome: row.failed_outcome,
      code: row.code,
      template: row.template,
      argument: row.argument,
    },
    namedTools: row.named_tools,
    fingerprintKeyId: row.key_id,
    argumentFingerprints: row.each_arg,
  };
}

function toRecoveryRow(learned: LearnedRecovery): RecoveryRow {
  const { server, tool, code, argument, template, steps, attempts, sessions, otherwise } = learned;
  return {
    ...{ server, tool, code, argument, template, sessions },
    outcome: Outcome.parse(learned.outcome),
    tools: [...steps.tools],
    changedArguments: [...steps.changedArguments],
    insteadTool: steps.insteadTool,
    isAfterPause: steps.isAfterPause,
    succeeded: toProportion(attempts.succeeded, attempts.n),
    otherwise: toProportion(otherwise.succeeded, otherwise.n),
    sentence: describeRecovery(learned),
    recovery: toRecoveryText(learned),
    hint: toRecoveryHint(learned),
  };
}

// The columns of one whole session, for the list of sessions and the head of a session's page. Rows of
// `sessions` are per day and merge eventually, so every read aggregates over the identity again.

import { z } from 'zod';
import type { SessionRow } from '../../../contract/sessions.ts';
import { SESSION_CONFIDENCES, SESSION_SOURCES } from '../../../core/model/session.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { IS_LOOP } from '../loops/loops.ts';
import { IDENTITY, IDENTITY_HASH } from '../query/session-identity.ts';

/** What is selected FROM sessions GROUP BY identity. */
export const SESSION_COLUMNS = `
        ${IDENTITY},
        max(session_confidence) AS confidence,
        max(plan_id) AS plan,
        max(client_name) AS client,
        sum(calls) AS n,
        sum(requests) AS all_requests,
        sum(errors) AS failed,
        arraySort(groupUniqArrayArray(tools)) AS tool_names,
        toUnixTimestamp64Micro(min(started_at)) AS started_us,
        toUnixTimestamp64Micro(max(ended_at)) AS ended_us,
        max(connected) AS has_connected,
        max(listed) AS has_listed,
        if(max(last_call) = 0, -1, toInt8(max(last_call) % 4)) AS last_fault,
        toString(${IDENTITY_HASH}) AS identity_hash`;

/** The number of loops of each session; a loop is rewritten while it is active. */
export const LOOPS_PER_SESSION = `SELECT ${IDENTITY}, count() AS loop_count FROM loops FINAL WHERE ${IS_LOOP} GROUP BY ${IDENTITY}`;

export const SessionColumns = z.object({
  server_name: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  session_id: z.string(),
  confidence: z.enum(SESSION_CONFIDENCES),
  plan: z.string(),
  client: z.string(),
  n: count,
  all_requests: count,
  failed: count,
  tool_names: z.array(z.string()),
  started_us: count,
  ended_us: count,
  has_connected: count,
  has_listed: count,
  /** -1 if there is no call. */
  last_fault: z.int(),
  /** 64 bits as text; breaks ties between otherwise equal sessions. */
  identity_hash: z.string(),
  loop_count: count,
});
export type SessionColumns = z.infer<typeof SessionColumns>;

export function toSessionRow(row: SessionColumns): SessionRow {
  return {
    sessionId: row.session_id,
    source: row.session_source,
    confidence: row.confidence,
    planId: row.plan,
    server: row.server_name,
    client: row.client,
    calls: row.n,
    requests: row.all_requests,
    errors: row.failed,
    tools: row.tool_names,
    startedAt: formatIso(row.started_us),
    endedAt: formatIso(row.ended_us),
    loops: row.loop_count,
    connected: row.has_connected > 0,
    listedTools: row.has_listed > 0,
    lastFault: FAULTS_BY_NUMBER[row.last_fault] ?? null,
  };
}

/** The numbering of faults in `last_call` of `sessions`. */
const FAULTS_BY_NUMBER = ['none', 'client', 'server'] as const;

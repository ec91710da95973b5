// Single calls as a list shows them: every displayable column of `calls` without the payload.

import { z } from 'zod';
import type { CallRow } from '../../../contract/responses.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { SESSION_SOURCES } from '../../../core/model/session.ts';
import type { Where } from '../query/filters.ts';
import { count, toIso } from '../query/row-values.ts';

/** A fingerprint as 16 hex digits; '' if there is none. */
export const hexSql = (column: string) => `if(${column} = 0, '', leftPad(lower(hex(${column})), 16, '0'))`;

/** What is selected FROM calls. */
export const CALL_COLUMNS = `
      trace_id, span_id, parent_span_id,
      toUnixTimestamp64Micro(started_at) AS started_us, duration_us,
      server_name, server_version, environment, client_name, client_version, protocol_version, transport,
      session_id, session_source, plan_id, side, method, tool_name, target,
      outcome, fault, error_code, error_type, error_message, error_argument, error_in_result,
      arguments_shape, ${hexSql('arguments_fingerprint')} AS arguments_hex, arguments_bytes,
      result_shape, ${hexSql('result_fingerprint')} AS result_hex, result_bytes`;

export const CallColumns = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string(),
  started_us: count,
  duration_us: count,
  server_name: z.string(),
  server_version: z.string(),
  environment: z.string(),
  client_name: z.string(),
  client_version: z.string(),
  protocol_version: z.string(),
  transport: z.string(),
  session_id: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  plan_id: z.string(),
  side: z.enum(['server', 'client']),
  method: z.string(),
  tool_name: z.string(),
  target: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  error_code: z.string(),
  error_type: z.string(),
  error_message: z.string(),
  error_argument: z.string(),
  error_in_result: count,
  arguments_shape: z.string(),
  arguments_hex: z.string(),
  arguments_bytes: count,
  result_shape: z.string(),
  result_hex: z.string(),
  result_bytes: count,
});
export type CallColumns = z.infer<typeof CallColumns>;

export function toCallRow(row: CallColumns): CallRow {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    startedAt: toIso(row.started_us),
    durationMs: row.duration_us / 1_000,
    server: row.server_name,
    serverVersion: row.server_version,
    environment: row.environment,
    client: row.client_name,
    clientVersion: row.client_version,
    protocolVersion: row.protocol_version,
    transport: row.transport,
    sessionId: row.session_id,
    sessionSource: row.session_source,
    planId: row.plan_id,
    side: row.side,
    method: row.method,
    tool: row.tool_name,
    target: row.target,
    outcome: row.outcome,
    fault: row.fault,
    code: row.error_code,
    errorType: row.error_type,
    errorMessage: row.error_message,
    errorArgument: row.error_argument,
    errorInResult: row.error_in_result !== 0,
    argumentsShape: row.arguments_shape,
    argumentsFingerprint: row.arguments_hex,
    argumentsBytes: row.arguments_bytes,
    resultShape: row.result_shape,
    resultFingerprint: row.result_hex,
    resultBytes: row.result_bytes,
  };
}

/** The end of 2099, within the range of the engine's time types. */
const MAX_TIME_US = 4_102_444_800_000_000;

/** End position of a page of calls: start in microseconds, then the identity of the call. */
export const CallKey = z.tuple([
  z.int().min(0).max(MAX_TIME_US),
  z.string().regex(/^[0-9a-f]{0,32}$/),
  z.string().regex(/^[0-9a-f]{0,16}$/),
]);
export type CallKey = z.infer<typeof CallKey>;

export function toCallCursorKey({ started_us, trace_id, span_id }: CallColumns): CallKey {
  return [started_us, trace_id, span_id];
}

/** Calls beyond a key: `<` for newest first, `>` for oldest first. */
export function isBeyondCall([us, traceId, spanId]: CallKey, side: '<' | '>'): Where {
  const at = `fromUnixTimestamp64Micro({key_us:Int64}, 'UTC')`;
  return {
    // The first condition is implied by the second, but allows the engine to use the sort key.
    sql: `started_at ${side}= ${at} AND (started_at, trace_id, span_id) ${side} (${at}, {key_trace:String}, {key_span:String})`,
    params: { key_us: us, key_trace: traceId, key_span: spanId },
  };
}

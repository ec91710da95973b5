// Calls with every stored column except payloads, in the form of the model: what an export needs to recreate
// the same calls elsewhere. Filters, order, pages and cursors are those of the list of calls.

import { z } from 'zod';
import type { ResolvedQuery, ToolCallPage } from '../../../contract/queries.ts';
import type { CallsQuery } from '../../../contract/query.ts';
import { SESSION_CONFIDENCES } from '../../../core/model/session.ts';
import { RESULT_TRAITS, type ToolCall, TRANSPORTS } from '../../../core/model/tool-call.ts';
import { allOf } from '../query/filters.ts';
import { alignRange, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { count } from '../query/row-values.ts';
import { CALL_COLUMNS, CallColumns, hexSql } from './call-rows.ts';
import { readCallPage, whereCalls } from './calls.ts';

const EXPORT_COLUMNS = `${CALL_COLUMNS},
      ${hexSql('error_fingerprint')} AS error_hex, result_trait,
      principal, session_confidence, request_id, fingerprint_key_id,
      ${hexSql('arguments_masked_fingerprint')} AS arguments_masked_hex,
      mapApply((name, print) -> (toString(name), leftPad(lower(hex(print)), 16, '0')), argument_fingerprints) AS argument_hexes,
      ${hexSql('result_masked_fingerprint')} AS result_masked_hex,
      ${hexSql('result_similarity')} AS similarity_hex,
      result_lines, catalogue_hash, attributes`;

const ExportColumns = CallColumns.extend({
  error_hex: z.string(),
  result_trait: z.enum(['', ...RESULT_TRAITS]),
  principal: z.string(),
  session_confidence: z.enum(SESSION_CONFIDENCES),
  request_id: z.string(),
  fingerprint_key_id: z.string(),
  arguments_masked_hex: z.string(),
  argument_hexes: z.record(z.string(), z.string()),
  result_masked_hex: z.string(),
  similarity_hex: z.string(),
  result_lines: count,
  catalogue_hash: z.string(),
  attributes: z.record(z.string(), z.string()),
});

/** One page of complete calls. */
export async function exportCalls(
  query: ResolvedQuery<CallsQuery>,
  context: QueryContext,
): Promise<ToolCallPage> {
  const { rows, nextCursor } = await readCallPage(query, {
    context,
    columns: EXPORT_COLUMNS,
    row: ExportColumns,
  });
  return { calls: rows.map(toToolCall), nextCursor };
}

/** Number of calls on all pages. */
export async function countExportedCalls(
  query: ResolvedQuery<CallsQuery>,
  context: QueryContext,
): Promise<number> {
  const where = allOf(inRange('started_at', alignRange(query.range, context)), whereCalls(query));
  const sql = `SELECT count() AS n FROM calls WHERE ${where.sql}`;
  const [row] = await context.store.query({ sql, params: where.params, row: z.object({ n: count }) });
  return row?.n ?? 0;
}

function toToolCall(row: z.infer<typeof ExportColumns>): ToolCall {
  return {
    ...{ traceId: row.trace_id, spanId: row.span_id, parentSpanId: row.parent_span_id },
    ...{ serverName: row.server_name, serverVersion: row.server_version, environment: row.environment },
    clientName: row.client_name,
    clientVersion: row.client_version,
    protocolVersion: row.protocol_version,
    transport: TRANSPORTS.find((kind) => kind === row.transport) ?? '',
    principal: row.principal,
    sessionId: row.session_id,
    sessionSource: row.session_source,
    sessionConfidence: row.session_confidence,
    planId: row.plan_id,
    ...{ side: row.side, method: row.method, toolName: row.tool_name, target: row.target },
    requestId: row.request_id,
    startedAtUs: row.started_us,
    durationUs: row.duration_us,
    ...{ outcome: row.outcome, fault: row.fault, errorCode: row.error_code, errorType: row.error_type },
    errorMessage: row.error_message,
    errorArgument: row.error_argument,
    errorFingerprint: row.error_hex,
    errorInResult: row.error_in_result !== 0,
    fingerprintKeyId: row.fingerprint_key_id,
    argumentsFingerprint: row.arguments_hex,
    argumentsMaskedFingerprint: row.arguments_masked_hex,
    argumentFingerprints: row.argument_hexes,
    argumentsShape: row.arguments_shape,
    argumentsBytes: row.arguments_bytes,
    resultFingerprint: row.result_hex,
    resultMaskedFingerprint: row.result_masked_hex,
    resultSimilarity: row.similarity_hex,
    resultTrait: row.result_trait,
    resultShape: row.result_shape,
    resultLines: row.result_lines,
    resultBytes: row.result_bytes,
    catalogueHash: row.catalogue_hash,
    attributes: row.attributes,
  };
}

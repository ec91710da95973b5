// Writes accepted spans as the lines that the store inserts. The hot path of the ingest: a call is serialised
// once, here, and only the engine parses it. 64-bit numbers are text, because JSON numbers lose digits above
// 2^53; the store accepts both.

import { createHash } from 'node:crypto';
import type { CallColumnName } from '../../core/model/call-columns.ts';
import type { CatalogueListing, ToolDefinition } from '../../core/model/catalogue.ts';
import type { CallPayload, ToolCall } from '../../core/model/tool-call.ts';
import { toCanonicalText } from '../../core/values/canonical-text.ts';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import { formatRow } from './format-row.ts';
import { type IngestPosition, toCallTail } from './row-position.ts';

export const TABLES = ['calls', 'payloads', 'tool_listings'] as const;

export type TableName = (typeof TABLES)[number];

/** @returns one line of table `calls` */
export function toCallRow(call: ToolCall, position: IngestPosition): string {
  return toCallHead(call) + toCallTail(position);
}

/** @returns a line of table `calls` without its position, which the journal assigns */
export function toCallHead(call: ToolCall): string {
  // Written out, because building the row from the table of columns takes half as long again.
  const row: Record<CallColumnName, unknown> = {
    trace_id: call.traceId,
    span_id: call.spanId,
    parent_span_id: call.parentSpanId,
    server_name: call.serverName,
    server_version: call.serverVersion,
    environment: call.environment,
    client_name: call.clientName,
    client_version: call.clientVersion,
    protocol_version: call.protocolVersion,
    transport: call.transport,
    principal: call.principal,
    session_id: call.sessionId,
    session_source: call.sessionSource,
    session_confidence: call.sessionConfidence,
    plan_id: call.planId,
    side: call.side,
    method: call.method,
    tool_name: call.toolName,
    target: call.target,
    request_id: call.requestId,
    started_at: formatDateTime64(call.startedAtUs),
    duration_us: toCount(call.durationUs),
    outcome: call.outcome,
    fault: call.fault,
    error_code: call.errorCode,
    error_type: call.errorType,
    error_message: call.errorMessage,
    error_argument: call.errorArgument,
    error_fingerprint: toDecimal(call.errorFingerprint),
    error_in_result: call.errorInResult ? 1 : 0,
    fingerprint_key_id: call.fingerprintKeyId,
    arguments_fingerprint: toDecimal(call.argumentsFingerprint),
    arguments_masked_fingerprint: toDecimal(call.argumentsMaskedFingerprint),
    argument_fingerprints: toDecimals(call.argumentFingerprints),
    arguments_shape: call.argumentsShape,
    arguments_bytes: toCount(call.argumentsBytes),
    result_fingerprint: toDecimal(call.resultFingerprint),
    result_masked_fingerprint: toDecimal(call.resultMaskedFingerprint),
    result_similarity: toDecimal(call.resultSimilarity),
    result_trait: call.resultTrait,
    result_shape: call.resultShape,
    result_lines: toCount(call.resultLines),
    result_bytes: toCount(call.resultBytes),
    catalogue_hash: call.catalogueHash,
    attributes: call.attributes,
  };
  // Without the brace and the line feed.
  return formatRow(row).slice(0, -2);
}

/** @returns one line of table `payloads` */
export function toPayloadRow(call: ToolCall, payload: CallPayload): string {
  return formatRow({
    trace_id: call.traceId,
    span_id: call.spanId,
    started_at: formatDateTime64(call.startedAtUs),
    server_name: call.serverName,
    arguments: payload.arguments,
    result: payload.result,
    truncated: payload.truncated ? 1 : 0,
  });
}

/** @returns one line of table `tool_listings` for each tool that was listed */
export function toListingRows(
  listing: CatalogueListing,
  { traceId, spanId }: { readonly traceId: string; readonly spanId: string },
): string[] {
  const listedAt = formatDateTime64(listing.listedAtUs);
  return listing.catalogue.tools.map((tool) =>
    formatRow({
      server_name: listing.serverName,
      server_version: listing.serverVersion,
      environment: listing.environment,
      listed_at: listedAt,
      origin: listing.origin,
      catalogue_hash: listing.catalogue.hash,
      tool_name: tool.name,
      definition: JSON.stringify(tool),
      definition_hash: hashDefinition(tool),
      trace_id: traceId,
      span_id: spanId,
    }),
  );
}

function hashDefinition(tool: ToolDefinition): string {
  return createHash('sha256').update(toCanonicalText(tool)).digest().readBigUInt64BE().toString();
}

/** Integer columns accept neither fractions nor negative numbers, and one such row would block its batch. */
function toCount(value: number): number {
  return value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
}

const FINGERPRINT = /^[0-9a-f]{16}$/;

/** 16 hex digits as a decimal number; anything else becomes 0, no fingerprint. */
function toDecimal(hex: string): string {
  return FINGERPRINT.test(hex) ? BigInt(`0x${hex}`).toString() : '0';
}

function toDecimals(fingerprints: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fingerprints).map(([name, hex]) => [name, toDecimal(hex)]));
}

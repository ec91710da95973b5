// Our own dialect, the reading half: what `toolscope.ts` wrote becomes the same call again. The span may have come by
// the host's exporter, with its resource and whatever its processors put on it, so nothing is taken on trust.

import { faultOf } from '../judgement/fault.ts';
import type { CatalogueListing, ToolDefinition } from '../model/catalogue.ts';
import { isOutcome } from '../model/outcome.ts';
import { CONFIDENCE_OF_SOURCE, NO_SESSION, SESSION_SOURCES, type Session } from '../model/session.ts';
import { type CallPayload, type ToolCall, TRANSPORTS } from '../model/tool-call.ts';
import type { Attributes, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import * as own from '../semconv/toolscope-attributes.ts';
import type { Reduction } from '../values/reduction.ts';
import {
  isFingerprint,
  isTrue,
  ownValue,
  parseJson,
  readCount,
  readFingerprint,
  readText,
} from './attribute-reader.ts';
import type { Dialect, Normalised } from './dialect.ts';
import { reduceForeignAttributes } from './foreign-attributes.ts';
import { judgeSpan } from './judge-span.ts';

/** UTF-16 units of a shape and of a message; both are bounded by whoever made them, this only holds off a stranger. */
const MAX_SHAPE = 4096;
const MAX_MESSAGE = 8192;
const MAX_ARGUMENTS = 256;

export const toolscopeDialect: Dialect = {
  name: 'toolscope',
  matches: (span) => span.scope.name === own.TOOLSCOPE_SCOPE,
  read: readToolscope,
};

function readToolscope(span: OtlpSpan, reduction: Reduction): Normalised {
  const droppedCalls = readCount(span.attributes, own.ATTR_DROPPED_CALLS);
  const isStart = span.name === own.SERVER_START_SPAN;
  const listing = readListing(span, isStart ? 'start' : 'list');
  if (isStart) return { kind: 'start', droppedCalls, ...(listing && { listing }) };
  if (readText(span.attributes, [semconv.ATTR_METHOD_NAME]) === '')
    return { kind: 'ignored', reason: 'not_mcp' };
  if (span.kind !== 'server' && span.kind !== 'client') return { kind: 'ignored', reason: 'internal_span' };
  const payload = readPayload(span.attributes);
  return {
    kind: 'call',
    call: readCall(span, reduction),
    droppedCalls,
    ...(payload && { payload }),
    ...(listing && { listing }),
  };
}

function readCall(span: OtlpSpan, reduction: Reduction): ToolCall {
  const { attributes } = span;
  const session = readSession(attributes);
  const text = (name: string, length?: number) => readText(attributes, [name], length);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    ...readServer(span),
    clientName: text(semconv.ATTR_CLIENT_NAME),
    clientVersion: text(semconv.ATTR_CLIENT_VERSION),
    protocolVersion: text(semconv.ATTR_PROTOCOL_VERSION),
    transport: TRANSPORTS.find((kind) => kind === text(own.ATTR_TRANSPORT)) ?? '',
    principal: text(own.ATTR_PRINCIPAL),
    sessionId: session.id,
    sessionSource: session.source,
    sessionConfidence: CONFIDENCE_OF_SOURCE[session.source],
    planId: text(own.ATTR_PLAN_ID),
    side: span.kind === 'client' ? 'client' : 'server',
    method: text(semconv.ATTR_METHOD_NAME),
    toolName: text(semconv.ATTR_TOOL_NAME),
    target: text(own.ATTR_TARGET),
    requestId: text(semconv.ATTR_REQUEST_ID),
    startedAtUs: span.startUs,
    durationUs: Math.max(0, span.endUs - span.startUs),
    ...readEnding(span, reduction),
    ...readValues(attributes),
    catalogueHash: readFingerprint(attributes, own.ATTR_CATALOGUE_HASH),
    attributes: reduceForeignAttributes(span, reduction),
  };
}

function readServer({ attributes, resource }: OtlpSpan) {
  return {
    serverName:
      readText(attributes, [semconv.ATTR_SERVER_NAME]) || readText(resource, [semconv.ATTR_SERVICE_NAME]),
    serverVersion:
      readText(attributes, [semconv.ATTR_SERVER_VERSION]) ||
      readText(resource, [semconv.ATTR_SERVICE_VERSION]),
    environment:
      readText(attributes, [semconv.ATTR_DEPLOYMENT_ENVIRONMENT]) ||
      readText(resource, [semconv.ATTR_DEPLOYMENT_ENVIRONMENT]),
  };
}

function readSession(attributes: Attributes): Session {
  const id = readText(attributes, [own.ATTR_SESSION]);
  const named = readText(attributes, [own.ATTR_SESSION_SOURCE]);
  const source = SESSION_SOURCES.find((one) => one === named) ?? 'none';
  return id === '' || source === 'none' ? NO_SESSION : { id, source };
}

/** An outcome that this version does not know, from a newer producer, is judged by the rest of the span. */
function readEnding(span: OtlpSpan, reduction: Reduction) {
  const { attributes } = span;
  const named = readText(attributes, [own.ATTR_OUTCOME]);
  if (!isOutcome(named)) return judgeSpan(span, reduction);
  const errorCode = readText(attributes, [own.ATTR_ERROR_CODE]);
  return {
    outcome: named,
    fault: faultOf(named, errorCode),
    errorCode,
    errorType: readText(attributes, [own.ATTR_EXCEPTION_TYPE]),
    errorMessage: readText(attributes, [own.ATTR_ERROR_MESSAGE], MAX_MESSAGE),
    errorArgument: readText(attributes, [own.ATTR_ERROR_ARGUMENT]),
    errorInResult: isTrue(attributes, own.ATTR_ERROR_IN_RESULT),
  };
}

function readValues(attributes: Attributes) {
  const exact = readFingerprint(attributes, own.ATTR_ARGUMENTS_FINGERPRINT);
  const exactResult = readFingerprint(attributes, own.ATTR_RESULT_FINGERPRINT);
  return {
    fingerprintKeyId: readText(attributes, [own.ATTR_FINGERPRINT_KEY_ID]),
    argumentsFingerprint: exact,
    argumentsMaskedFingerprint: readMasked(attributes, own.ATTR_ARGUMENTS_MASKED_FINGERPRINT, exact),
    argumentFingerprints: readArgumentFingerprints(attributes),
    argumentsShape: readText(attributes, [own.ATTR_ARGUMENTS_SHAPE], MAX_SHAPE),
    argumentsBytes: readCount(attributes, own.ATTR_ARGUMENTS_BYTES),
    resultFingerprint: exactResult,
    resultMaskedFingerprint: readMasked(attributes, own.ATTR_RESULT_MASKED_FINGERPRINT, exactResult),
    resultSimilarity: readFingerprint(attributes, own.ATTR_RESULT_SIMILARITY),
    resultShape: readText(attributes, [own.ATTR_RESULT_SHAPE], MAX_SHAPE),
    resultLines: readCount(attributes, own.ATTR_RESULT_LINES),
    resultBytes: readCount(attributes, own.ATTR_RESULT_BYTES),
  };
}

function readMasked(attributes: Attributes, name: string, exact: string): string {
  return ownValue(attributes, name) === undefined ? exact : readFingerprint(attributes, name);
}

function readArgumentFingerprints(attributes: Attributes): Record<string, string> {
  const text = ownValue(attributes, own.ATTR_ARGUMENT_FINGERPRINTS);
  const parsed = typeof text === 'string' ? parseJson(text) : undefined;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  const entries = Object.entries(parsed).filter((entry): entry is [string, string] =>
    isFingerprint(entry[1]),
  );
  return Object.fromEntries(entries.slice(0, MAX_ARGUMENTS));
}

function readPayload(attributes: Attributes): CallPayload | undefined {
  const given = ownValue(attributes, semconv.ATTR_TOOL_ARGUMENTS);
  const result = ownValue(attributes, semconv.ATTR_TOOL_RESULT);
  if (typeof given !== 'string' && typeof result !== 'string') return undefined;
  return {
    arguments: typeof given === 'string' ? given : '',
    result: typeof result === 'string' ? result : '',
    truncated: isTrue(attributes, own.ATTR_PAYLOAD_TRUNCATED),
  };
}

/** A catalogue that was cut on its way does not parse, and counts as none. */
function readListing(span: OtlpSpan, origin: CatalogueListing['origin']): CatalogueListing | undefined {
  const text = ownValue(span.attributes, own.ATTR_CATALOGUE_TOOLS);
  const hash = readFingerprint(span.attributes, own.ATTR_CATALOGUE_HASH);
  const tools = typeof text === 'string' ? parseJson(text) : undefined;
  if (hash === '' || !Array.isArray(tools) || !tools.every(isDefinition)) return undefined;
  return { ...readServer(span), listedAtUs: span.startUs, origin, catalogue: { hash, tools } };
}

function isDefinition(value: unknown): value is ToolDefinition {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

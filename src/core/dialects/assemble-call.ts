// Puts a call together from what a dialect has read.

import { CONFIDENCE_BY_SOURCE, type Session } from '../model/session.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { OtlpSpan } from '../otlp/span.ts';
import type { readOrigin } from './attribute-reader.ts';
import type { SpanClassification } from './classify-span.ts';

/** What is known of the arguments and the result. */
export type CallValues = Pick<
  ToolCall,
  | 'fingerprintKeyId'
  | 'argumentsFingerprint'
  | 'argumentsMaskedFingerprint'
  | 'argumentFingerprints'
  | 'argumentsShape'
  | 'argumentsBytes'
  | 'argumentOrigins'
  | 'argumentSources'
  | 'resultFingerprint'
  | 'resultMaskedFingerprint'
  | 'resultSimilarity'
  | 'resultTrait'
  | 'resultShape'
  | 'resultLines'
  | 'resultBytes'
  | 'resultFields'
>;

export interface CallParts {
  readonly span: Pick<OtlpSpan, 'startUs' | 'endUs'>;
  readonly origin: ReturnType<typeof readOrigin>;
  readonly server: Pick<ToolCall, 'serverName' | 'serverVersion' | 'environment'>;
  /** With its id redacted. */
  readonly session: Session;
  readonly request: Pick<
    ToolCall,
    | 'transport'
    | 'principal'
    | 'planId'
    | 'side'
    | 'method'
    | 'toolName'
    | 'target'
    | 'requestId'
    | 'catalogueHash'
    | 'attributes'
  >;
  readonly ending: SpanClassification;
  readonly values: CallValues;
}

/**
 * Every field is written out: an object of this many fields that is spread together becomes a dictionary in V8, and making
 * and reading one took 100 µs a call.
 */
export function assembleCall(parts: CallParts): ToolCall {
  const { span, origin, server, session, request, ending, values } = parts;
  return {
    traceId: origin.traceId,
    spanId: origin.spanId,
    parentSpanId: origin.parentSpanId,
    serverName: server.serverName,
    serverVersion: server.serverVersion,
    environment: server.environment,
    clientName: origin.clientName,
    clientVersion: origin.clientVersion,
    protocolVersion: origin.protocolVersion,
    transport: request.transport,
    principal: request.principal,
    sessionId: session.id,
    sessionSource: session.source,
    sessionConfidence: CONFIDENCE_BY_SOURCE[session.source],
    planId: request.planId,
    side: request.side,
    method: request.method,
    toolName: request.toolName,
    target: request.target,
    requestId: request.requestId,
    startedAtUs: span.startUs,
    durationUs: Math.max(0, span.endUs - span.startUs),
    outcome: ending.outcome,
    fault: ending.fault,
    errorCode: ending.errorCode,
    errorType: ending.errorType,
    errorMessage: ending.errorMessage,
    errorArgument: ending.errorArgument,
    errorFingerprint: ending.errorFingerprint,
    errorInResult: ending.errorInResult,
    fingerprintKeyId: values.fingerprintKeyId,
    argumentsFingerprint: values.argumentsFingerprint,
    argumentsMaskedFingerprint: values.argumentsMaskedFingerprint,
    argumentFingerprints: values.argumentFingerprints,
    argumentsShape: values.argumentsShape,
    argumentsBytes: values.argumentsBytes,
    argumentOrigins: values.argumentOrigins,
    argumentSources: values.argumentSources,
    resultFingerprint: values.resultFingerprint,
    resultMaskedFingerprint: values.resultMaskedFingerprint,
    resultSimilarity: values.resultSimilarity,
    resultTrait: values.resultTrait,
    resultShape: values.resultShape,
    resultLines: values.resultLines,
    resultBytes: values.resultBytes,
    resultFields: values.resultFields,
    catalogueHash: request.catalogueHash,
    attributes: request.attributes,
  };
}

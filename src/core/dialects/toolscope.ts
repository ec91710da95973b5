// Our own dialect, the writing half: a reduced call becomes a span with the conventions' names, and everything they
// have no name for under `toolscope.*`. Empty and zero fields are left out; `read-toolscope.ts` reads the same back.

import type { Catalogue, CatalogueListing } from '../model/catalogue.ts';
import type { CallPayload, ToolCall } from '../model/tool-call.ts';
import type { Attributes, AttributeValue, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import * as own from '../semconv/toolscope-attributes.ts';
import { spanStatusOf } from './span-status.ts';

/** A call as it may leave the process, with what travels along on its span. */
export interface ReducedCall {
  readonly call: ToolCall;
  readonly payload?: CallPayload;
  readonly listing?: CatalogueListing;
  /** Calls lost before this one since the last report. */
  readonly droppedCalls?: number;
}

/** A server that started in this process; ids and time are the caller's. */
export interface ServerStart {
  readonly traceId: string;
  readonly spanId: string;
  readonly serverName: string;
  readonly serverVersion: string;
  readonly environment: string;
  /** Microseconds since the epoch. */
  readonly atUs: number;
  /** Left out when the server cannot say yet: unknown is not empty. */
  readonly catalogue?: Catalogue;
  readonly droppedCalls?: number;
}

/** The span of a call: `{method} {target}`, kind SERVER, or CLIENT for a request the server itself sent. */
export function toSpan(reduced: ReducedCall): OtlpSpan {
  const { call } = reduced;
  const { errorType, status } = spanStatusOf(call);
  const attributes: Draft = { ...call.attributes };
  writeConventions(attributes, call);
  write(attributes, semconv.ATTR_ERROR_TYPE, errorType);
  writeOwn(attributes, call);
  writeValues(attributes, call);
  writePayload(attributes, reduced.payload);
  writeCatalogue(attributes, reduced.listing?.catalogue);
  write(attributes, own.ATTR_DROPPED_CALLS, reduced.droppedCalls ?? 0);
  return {
    traceId: call.traceId,
    spanId: call.spanId,
    parentSpanId: call.parentSpanId,
    name: nameOf(call),
    kind: call.side,
    startUs: call.startedAtUs,
    endUs: call.startedAtUs + call.durationUs,
    attributes,
    events: [],
    links: [],
    status,
    scope: SCOPE,
    resource: resourceOf(call),
  };
}

/** The span that announces a server and, where it is known, its catalogue. Not a call. */
export function toStartSpan(start: ServerStart): OtlpSpan {
  const attributes: Draft = {};
  write(attributes, semconv.ATTR_SERVER_NAME, start.serverName);
  write(attributes, semconv.ATTR_SERVER_VERSION, start.serverVersion);
  writeCatalogue(attributes, start.catalogue);
  write(attributes, own.ATTR_DROPPED_CALLS, start.droppedCalls ?? 0);
  return {
    traceId: start.traceId,
    spanId: start.spanId,
    parentSpanId: '',
    name: own.SERVER_START_SPAN,
    kind: 'internal',
    startUs: start.atUs,
    endUs: start.atUs,
    attributes,
    events: [],
    links: [],
    status: { code: 0, message: '' },
    scope: SCOPE,
    resource: resourceOf(start),
  };
}

/** Attributes while they are put together. */
type Draft = Record<string, AttributeValue>;

/** Empty text, zero and false are what reading gives for an attribute that is not there. */
function write(draft: Draft, name: string, value: string | number | boolean): void {
  if (value !== '' && value !== 0 && value !== false) draft[name] = value;
}

const SCOPE = { name: own.TOOLSCOPE_SCOPE, version: '' };

function nameOf(call: ToolCall): string {
  const target = call.method === semconv.METHOD_PROMPTS_GET ? call.target : call.toolName;
  return target === '' ? call.method : `${call.method} ${target}`;
}

function writeConventions(draft: Draft, call: ToolCall): void {
  write(draft, semconv.ATTR_METHOD_NAME, call.method);
  write(draft, semconv.ATTR_TOOL_NAME, call.toolName);
  if (call.method === semconv.METHOD_PROMPTS_GET) write(draft, semconv.ATTR_PROMPT_NAME, call.target);
  if (call.method === semconv.METHOD_TOOLS_CALL) {
    write(draft, semconv.ATTR_OPERATION_NAME, semconv.OPERATION_EXECUTE_TOOL);
  }
  write(draft, semconv.ATTR_REQUEST_ID, call.requestId);
  write(draft, semconv.ATTR_PROTOCOL_VERSION, call.protocolVersion);
  if (call.sessionSource === 'transport') write(draft, semconv.ATTR_SESSION_ID, call.sessionId);
  const network = NETWORK_TRANSPORT[call.transport];
  write(draft, semconv.ATTR_NETWORK_TRANSPORT, network);
  if (network === 'tcp') write(draft, semconv.ATTR_NETWORK_PROTOCOL_NAME, 'http');
  // Refused arguments may have been answered as a result, so only this outcome surely had a code on the wire.
  if (call.outcome === 'protocol_error') write(draft, semconv.ATTR_RPC_STATUS_CODE, call.errorCode);
  write(draft, semconv.ATTR_CLIENT_NAME, call.clientName);
  write(draft, semconv.ATTR_CLIENT_VERSION, call.clientVersion);
  write(draft, semconv.ATTR_SERVER_NAME, call.serverName);
  write(draft, semconv.ATTR_SERVER_VERSION, call.serverVersion);
}

const NETWORK_TRANSPORT: Readonly<Record<ToolCall['transport'], string>> = {
  stdio: 'pipe',
  http: 'tcp',
  sse: 'tcp',
  memory: '',
  '': '',
};

function writeOwn(draft: Draft, call: ToolCall): void {
  write(draft, own.ATTR_OUTCOME, call.outcome);
  write(draft, own.ATTR_ERROR_CODE, call.errorCode);
  write(draft, own.ATTR_EXCEPTION_TYPE, call.errorType);
  write(draft, own.ATTR_ERROR_MESSAGE, call.errorMessage);
  write(draft, own.ATTR_ERROR_ARGUMENT, call.errorArgument);
  write(draft, own.ATTR_ERROR_FINGERPRINT, call.errorFingerprint);
  write(draft, own.ATTR_ERROR_IN_RESULT, call.errorInResult);
  write(draft, own.ATTR_SESSION, call.sessionId);
  write(draft, own.ATTR_SESSION_SOURCE, call.sessionSource);
  write(draft, own.ATTR_PLAN_ID, call.planId);
  write(draft, own.ATTR_PRINCIPAL, call.principal);
  write(draft, own.ATTR_TRANSPORT, call.transport);
  write(draft, own.ATTR_TARGET, call.target);
  write(draft, own.ATTR_CATALOGUE_HASH, call.catalogueHash);
}

function writeValues(draft: Draft, call: ToolCall): void {
  write(draft, own.ATTR_FINGERPRINT_KEY_ID, call.fingerprintKeyId);
  write(draft, own.ATTR_ARGUMENTS_FINGERPRINT, call.argumentsFingerprint);
  write(draft, own.ATTR_ARGUMENT_FINGERPRINTS, fingerprintsText(call.argumentFingerprints));
  write(draft, own.ATTR_ARGUMENTS_SHAPE, call.argumentsShape);
  write(draft, own.ATTR_ARGUMENTS_BYTES, call.argumentsBytes);
  write(draft, own.ATTR_RESULT_FINGERPRINT, call.resultFingerprint);
  write(draft, own.ATTR_RESULT_SIMILARITY, call.resultSimilarity);
  write(draft, own.ATTR_RESULT_TRAIT, call.resultTrait);
  write(draft, own.ATTR_RESULT_SHAPE, call.resultShape);
  write(draft, own.ATTR_RESULT_LINES, call.resultLines);
  write(draft, own.ATTR_RESULT_BYTES, call.resultBytes);
  // A masked fingerprint mostly equals the exact one and is left out then; one that differs stays even when it is ''.
  if (call.argumentsMaskedFingerprint !== call.argumentsFingerprint) {
    draft[own.ATTR_ARGUMENTS_MASKED_FINGERPRINT] = call.argumentsMaskedFingerprint;
  }
  if (call.resultMaskedFingerprint !== call.resultFingerprint) {
    draft[own.ATTR_RESULT_MASKED_FINGERPRINT] = call.resultMaskedFingerprint;
  }
}

function fingerprintsText(fingerprints: ToolCall['argumentFingerprints']): string {
  const text = JSON.stringify(fingerprints);
  return text === '{}' ? '' : text;
}

function writePayload(draft: Draft, payload: CallPayload | undefined): void {
  if (payload === undefined) return;
  draft[semconv.ATTR_TOOL_ARGUMENTS] = payload.arguments;
  draft[semconv.ATTR_TOOL_RESULT] = payload.result;
  write(draft, own.ATTR_PAYLOAD_TRUNCATED, payload.truncated);
}

function writeCatalogue(draft: Draft, catalogue: Catalogue | undefined): void {
  if (catalogue === undefined) return;
  draft[own.ATTR_CATALOGUE_HASH] = catalogue.hash;
  draft[own.ATTR_CATALOGUE_TOOLS] = JSON.stringify(catalogue.tools);
}

function resourceOf(of: Pick<ToolCall, 'serverName' | 'serverVersion' | 'environment'>): Attributes {
  const resource: Draft = {};
  write(resource, semconv.ATTR_SERVICE_NAME, of.serverName);
  write(resource, semconv.ATTR_SERVICE_VERSION, of.serverVersion);
  write(resource, semconv.ATTR_DEPLOYMENT_ENVIRONMENT, of.environment);
  return resource;
}

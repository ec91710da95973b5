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
  return {
    traceId: call.traceId,
    spanId: call.spanId,
    parentSpanId: call.parentSpanId,
    name: nameOf(call),
    kind: call.side,
    startUs: call.startedAtUs,
    endUs: call.startedAtUs + call.durationUs,
    attributes: {
      ...call.attributes,
      ...withoutEmpty({
        ...conventionAttributes(call),
        [semconv.ATTR_ERROR_TYPE]: errorType,
        ...ownAttributes(call),
        ...valueAttributes(call),
      }),
      ...maskedAttributes(call),
      ...payloadAttributes(reduced.payload),
      ...catalogueAttributes(reduced.listing?.catalogue),
      ...droppedAttributes(reduced.droppedCalls),
    },
    events: [],
    links: [],
    status,
    scope: SCOPE,
    resource: resourceOf(call),
  };
}

/** The span that announces a server and, where it is known, its catalogue. Not a call. */
export function toStartSpan(start: ServerStart): OtlpSpan {
  return {
    traceId: start.traceId,
    spanId: start.spanId,
    parentSpanId: '',
    name: own.SERVER_START_SPAN,
    kind: 'internal',
    startUs: start.atUs,
    endUs: start.atUs,
    attributes: {
      ...withoutEmpty({
        [semconv.ATTR_SERVER_NAME]: start.serverName,
        [semconv.ATTR_SERVER_VERSION]: start.serverVersion,
      }),
      ...catalogueAttributes(start.catalogue),
      ...droppedAttributes(start.droppedCalls),
    },
    events: [],
    links: [],
    status: { code: 0, message: '' },
    scope: SCOPE,
    resource: resourceOf(start),
  };
}

const SCOPE = { name: own.TOOLSCOPE_SCOPE, version: '' };

function nameOf(call: ToolCall): string {
  const target = call.method === semconv.METHOD_PROMPTS_GET ? call.target : call.toolName;
  return target === '' ? call.method : `${call.method} ${target}`;
}

function conventionAttributes(call: ToolCall): Record<string, AttributeValue> {
  const transport = call.transport;
  return {
    [semconv.ATTR_METHOD_NAME]: call.method,
    [semconv.ATTR_TOOL_NAME]: call.toolName,
    [semconv.ATTR_PROMPT_NAME]: call.method === semconv.METHOD_PROMPTS_GET ? call.target : '',
    [semconv.ATTR_OPERATION_NAME]:
      call.method === semconv.METHOD_TOOLS_CALL ? semconv.OPERATION_EXECUTE_TOOL : '',
    [semconv.ATTR_REQUEST_ID]: call.requestId,
    [semconv.ATTR_PROTOCOL_VERSION]: call.protocolVersion,
    [semconv.ATTR_SESSION_ID]: call.sessionSource === 'transport' ? call.sessionId : '',
    [semconv.ATTR_NETWORK_TRANSPORT]: NETWORK_TRANSPORT[transport],
    [semconv.ATTR_NETWORK_PROTOCOL_NAME]: NETWORK_TRANSPORT[transport] === 'tcp' ? 'http' : '',
    // Refused arguments may have been answered as a result, so only this outcome surely had a code on the wire.
    [semconv.ATTR_RPC_STATUS_CODE]: call.outcome === 'protocol_error' ? call.errorCode : '',
    [semconv.ATTR_CLIENT_NAME]: call.clientName,
    [semconv.ATTR_CLIENT_VERSION]: call.clientVersion,
    [semconv.ATTR_SERVER_NAME]: call.serverName,
    [semconv.ATTR_SERVER_VERSION]: call.serverVersion,
  };
}

const NETWORK_TRANSPORT: Readonly<Record<ToolCall['transport'], string>> = {
  stdio: 'pipe',
  http: 'tcp',
  sse: 'tcp',
  memory: '',
  '': '',
};

function ownAttributes(call: ToolCall): Record<string, AttributeValue> {
  return {
    [own.ATTR_OUTCOME]: call.outcome,
    [own.ATTR_ERROR_CODE]: call.errorCode,
    [own.ATTR_EXCEPTION_TYPE]: call.errorType,
    [own.ATTR_ERROR_MESSAGE]: call.errorMessage,
    [own.ATTR_ERROR_ARGUMENT]: call.errorArgument,
    [own.ATTR_ERROR_IN_RESULT]: call.errorInResult,
    [own.ATTR_SESSION]: call.sessionId,
    [own.ATTR_SESSION_SOURCE]: call.sessionSource,
    [own.ATTR_PLAN_ID]: call.planId,
    [own.ATTR_PRINCIPAL]: call.principal,
    [own.ATTR_TRANSPORT]: call.transport,
    [own.ATTR_TARGET]: call.target,
    [own.ATTR_CATALOGUE_HASH]: call.catalogueHash,
  };
}

function valueAttributes(call: ToolCall): Record<string, AttributeValue> {
  return {
    [own.ATTR_FINGERPRINT_KEY_ID]: call.fingerprintKeyId,
    [own.ATTR_ARGUMENTS_FINGERPRINT]: call.argumentsFingerprint,
    [own.ATTR_ARGUMENT_FINGERPRINTS]: fingerprintsText(call.argumentFingerprints),
    [own.ATTR_ARGUMENTS_SHAPE]: call.argumentsShape,
    [own.ATTR_ARGUMENTS_BYTES]: call.argumentsBytes,
    [own.ATTR_RESULT_FINGERPRINT]: call.resultFingerprint,
    [own.ATTR_RESULT_SIMILARITY]: call.resultSimilarity,
    [own.ATTR_RESULT_SHAPE]: call.resultShape,
    [own.ATTR_RESULT_LINES]: call.resultLines,
    [own.ATTR_RESULT_BYTES]: call.resultBytes,
  };
}

function fingerprintsText(fingerprints: ToolCall['argumentFingerprints']): string {
  const text = JSON.stringify(fingerprints);
  return text === '{}' ? '' : text;
}

/** A masked fingerprint that equals the exact one, as most do, is left out; one that differs stays even when it is ''. */
function maskedAttributes(call: ToolCall): Attributes {
  return {
    ...(call.argumentsMaskedFingerprint !== call.argumentsFingerprint && {
      [own.ATTR_ARGUMENTS_MASKED_FINGERPRINT]: call.argumentsMaskedFingerprint,
    }),
    ...(call.resultMaskedFingerprint !== call.resultFingerprint && {
      [own.ATTR_RESULT_MASKED_FINGERPRINT]: call.resultMaskedFingerprint,
    }),
  };
}

function payloadAttributes(payload: CallPayload | undefined): Attributes {
  if (payload === undefined) return {};
  return {
    [semconv.ATTR_TOOL_ARGUMENTS]: payload.arguments,
    [semconv.ATTR_TOOL_RESULT]: payload.result,
    ...(payload.truncated && { [own.ATTR_PAYLOAD_TRUNCATED]: true }),
  };
}

function catalogueAttributes(catalogue: Catalogue | undefined): Attributes {
  if (catalogue === undefined) return {};
  return {
    [own.ATTR_CATALOGUE_HASH]: catalogue.hash,
    [own.ATTR_CATALOGUE_TOOLS]: JSON.stringify(catalogue.tools),
  };
}

function droppedAttributes(droppedCalls: number | undefined): Attributes {
  return droppedCalls ? { [own.ATTR_DROPPED_CALLS]: droppedCalls } : {};
}

function resourceOf(of: Pick<ToolCall, 'serverName' | 'serverVersion' | 'environment'>): Attributes {
  return withoutEmpty({
    [semconv.ATTR_SERVICE_NAME]: of.serverName,
    [semconv.ATTR_SERVICE_VERSION]: of.serverVersion,
    [semconv.ATTR_DEPLOYMENT_ENVIRONMENT]: of.environment,
  });
}

function withoutEmpty(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== '' && value !== 0 && value !== false),
  );
}

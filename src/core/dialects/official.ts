// Whoever follows OpenTelemetry's MCP conventions: the Python SDK v2, the C# SDK, FastMCP, mcp-grafana and others. Their
// values are reduced here, at the door, by the functions our own wrapper uses; only the server's side of a call counts.

import { CONFIDENCE_OF_SOURCE, NO_SESSION, type Session } from '../model/session.ts';
import { type CallPayload, type ToolCall, TRANSPORTS, type TransportKind } from '../model/tool-call.ts';
import type { Attributes, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import { ATTR_PLAN_ID, ATTR_PROCESS_ID } from '../semconv/toolscope-attributes.ts';
import { reduceId, reduceName, reducePrincipal } from '../values/reduce-name.ts';
import { type Reduction, reduceArguments, reduceResult, toCallPayload } from '../values/reduction.ts';
import { ownValue, parseJson, readName, readText } from './attribute-reader.ts';
import type { Dialect, Normalised } from './dialect.ts';
import { reduceForeignAttributes } from './foreign-attributes.ts';
import { judgeSpan } from './judge-span.ts';
import { processIdOf } from './process-identity.ts';

export const officialDialect: Dialect = {
  name: 'official',
  matches: (span) => readText(span.attributes, [semconv.ATTR_METHOD_NAME]) !== '',
  read: readOfficial,
};

/** Requests that a server sends: their SERVER span is in the client's process, and no call of the server. */
const METHODS_OF_SERVERS: readonly string[] = ['sampling/createMessage', 'elicitation/create', 'roots/list'];

function readOfficial(span: OtlpSpan, reduction: Reduction): Normalised {
  const method = readText(span.attributes, [semconv.ATTR_METHOD_NAME]);
  if (span.kind === 'client' || METHODS_OF_SERVERS.includes(method))
    return { kind: 'ignored', reason: 'client_side' };
  if (span.kind !== 'server') return { kind: 'ignored', reason: 'internal_span' };
  if (method.startsWith('notifications/')) return { kind: 'ignored', reason: 'notification' };
  const values = readValues(span.attributes, reduction);
  return {
    kind: 'call',
    call: { ...readFacts(span, method, reduction), ...values.fields, ...judgeSpan(span, reduction) },
    droppedCalls: 0,
    ...(values.payload && { payload: values.payload }),
  };
}

type Facts = Omit<
  ToolCall,
  keyof ReturnType<typeof judgeSpan> | keyof ReturnType<typeof readValues>['fields']
>;

function readFacts(span: OtlpSpan, method: string, reduction: Reduction): Facts {
  const { attributes } = span;
  const session = readSession(span);
  const name = (...names: string[]): string => readName(attributes, names, reduction);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    ...readServer(span, reduction),
    clientName: name(semconv.ATTR_CLIENT_NAME),
    clientVersion: name(semconv.ATTR_CLIENT_VERSION),
    protocolVersion: name(semconv.ATTR_PROTOCOL_VERSION),
    transport: readTransport(attributes),
    principal: reducePrincipal(readText(attributes, USER_ID_NAMES, MAX_ID), reduction),
    sessionId: reduceId(session.id, reduction),
    sessionSource: session.source,
    sessionConfidence: CONFIDENCE_OF_SOURCE[session.source],
    planId: reduceId(readText(attributes, [ATTR_PLAN_ID], MAX_ID), reduction),
    side: 'server',
    method: reduceName(method, reduction),
    toolName: method === semconv.METHOD_TOOLS_CALL ? reduceName(readToolName(span), reduction) : '',
    target: reduceName(readTarget(attributes), reduction),
    requestId: name(...REQUEST_ID_NAMES),
    startedAtUs: span.startUs,
    durationUs: Math.max(0, span.endUs - span.startUs),
    catalogueHash: '',
    attributes: { ...reduceForeignAttributes(span, reduction), ...readEmitter(span, reduction) },
  };
}

/** Who says so, and of which process: another instrumentation there may report the same call. Without an id none could be told. */
function readEmitter(
  { scope, attributes, resource }: OtlpSpan,
  reduction: Reduction,
): Record<string, string> {
  const isTold = scope.name !== '' && readText(attributes, REQUEST_ID_NAMES) !== '';
  const processId = isTold ? processIdOf(resource) : '';
  if (processId === '') return {};
  return { [semconv.ATTR_SCOPE_NAME]: reduceName(scope.name, reduction), [ATTR_PROCESS_ID]: processId };
}

function readServer({ attributes, resource }: OtlpSpan, reduction: Reduction) {
  const given = (names: string[]): string => readName(attributes, names, reduction);
  const declared = (names: string[]): string => readName(resource, names, reduction);
  return {
    serverName:
      given([semconv.ATTR_SERVER_NAME, 'fastmcp.server.name']) || declared([semconv.ATTR_SERVICE_NAME]),
    serverVersion: given([semconv.ATTR_SERVER_VERSION]) || declared([semconv.ATTR_SERVICE_VERSION]),
    environment: declared([semconv.ATTR_DEPLOYMENT_ENVIRONMENT, 'deployment.environment']),
  };
}

/** UTF-16 units read of an id: it is reduced before it is cut. */
const MAX_ID = 8192;

/** Quarkus has a name of its own for it. */
const REQUEST_ID_NAMES = [semconv.ATTR_REQUEST_ID, 'rpc.jsonrpc.request_id'];

/** OTel's two, its pseudonym, and what frameworks for agents call it; what is personal in them is never kept. */
const USER_ID_NAMES = [
  'enduser.id',
  'user.id',
  'enduser.pseudo.id',
  'mcp.user.id',
  'gen_ai.user.id',
  'langfuse.user.id',
  'usr.id',
  'user_id',
  'userId',
];

/** The attribute, else what stands behind the method in the span's name. */
function readToolName(span: OtlpSpan): string {
  const named = readText(span.attributes, [semconv.ATTR_TOOL_NAME], MAX_ID);
  const prefix = `${semconv.METHOD_TOOLS_CALL} `;
  return named === '' && span.name.startsWith(prefix)
    ? span.name.slice(prefix.length, prefix.length + MAX_ID)
    : named;
}

function readTarget(attributes: Attributes): string {
  const prompt = readText(attributes, [semconv.ATTR_PROMPT_NAME], MAX_ID);
  if (prompt !== '') return prompt;
  const [, scheme = ''] =
    /^([a-z][a-z0-9+.-]{0,31}):/i.exec(readText(attributes, [semconv.ATTR_RESOURCE_URI])) ?? [];
  return scheme.toLowerCase();
}

/** A trace is a session only where something else began it: a root span's trace is one call, and one call is no session. */
function readSession(span: OtlpSpan): Session {
  const transport = readText(span.attributes, [semconv.ATTR_SESSION_ID], MAX_ID);
  if (transport !== '') return { id: transport, source: 'transport' };
  const conversation = readText(span.attributes, ['session.id', 'gen_ai.conversation.id'], MAX_ID);
  if (conversation !== '') return { id: conversation, source: 'meta' };
  return span.parentSpanId === '' ? NO_SESSION : { id: span.traceId, source: 'trace' };
}

function readTransport(attributes: Attributes): TransportKind {
  const named = readText(attributes, ['mcp.transport']);
  const known = TRANSPORTS.find((kind) => kind === named);
  if (known) return known;
  const network = readText(attributes, [semconv.ATTR_NETWORK_TRANSPORT]);
  if (network === 'pipe') return 'stdio';
  if (network !== 'tcp' && network !== 'quic') return '';
  // Streamable HTTP came after this version; before it HTTP meant server-sent events.
  const version = readText(attributes, [semconv.ATTR_PROTOCOL_VERSION]);
  return version !== '' && version <= '2024-11-05' ? 'sse' : 'http';
}

function readValues(attributes: Attributes, reduction: Reduction) {
  const given = readJson(attributes, semconv.ATTR_TOOL_ARGUMENTS);
  const reducedArguments = given === undefined ? NO_ARGUMENTS : reduceArguments(given, undefined, reduction);
  const reducedResult = reduceResult(readJson(attributes, semconv.ATTR_TOOL_RESULT), reduction);
  const payload: CallPayload | undefined = toCallPayload(reducedArguments, reducedResult);
  const { payload: _arguments, ...argumentFields } = reducedArguments;
  const { payload: _result, ...resultFields } = reducedResult;
  const isKeyed = argumentFields.argumentsFingerprint !== '' || resultFields.resultFingerprint !== '';
  return {
    fields: {
      ...argumentFields,
      ...resultFields,
      fingerprintKeyId: isKeyed ? reduction.fingerprinter.keyId : '',
    },
    payload,
  };
}

/** Arguments that were not sent are not known, which is not the same as none. */
const NO_ARGUMENTS: ReturnType<typeof reduceArguments> = {
  fingerprintKeyId: '',
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsShape: '',
  argumentsBytes: 0,
};

/** An object, or JSON text of one: SDKs before OTel API 1.10 can only send text. */
function readJson(attributes: Attributes, name: string): unknown {
  const value = ownValue(attributes, name);
  if (typeof value !== 'string') return value;
  return value === '' ? undefined : (parseJson(value) ?? value);
}

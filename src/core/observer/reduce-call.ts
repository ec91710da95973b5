// From a call with its raw values to a call that may leave the process. The one place where params and results are
// looked at, after the answer was sent; the ways that values take out of here are the functions of core/values.

import { type Judgement, judge } from '../judgement/judge.ts';
import type { CatalogueListing } from '../model/catalogue.ts';
import { CONFIDENCE_OF_SOURCE } from '../model/session.ts';
import type { CallPayload, ToolCall } from '../model/tool-call.ts';
import {
  METHOD_PROMPTS_GET,
  METHOD_RESOURCES_READ,
  METHOD_TOOLS_CALL,
  METHOD_TOOLS_LIST,
} from '../semconv/conventions.ts';
import {
  ATTR_GUARD_BLOCKED,
  ATTR_GUARD_NUDGED,
  ATTR_GUARD_WOULD_BLOCK,
  ATTR_NOT_DESCRIBED,
} from '../semconv/toolscope-attributes.ts';
import { reduceId, reduceName } from '../values/reduce-name.ts';
import {
  argumentSteps,
  failureFingerprint,
  type Reduction,
  reduceArgumentPath,
  reduceMessage,
  resultSteps,
  toCallPayload,
  undescribedArguments,
  undescribedResult,
} from '../values/reduction.ts';
import { fieldOf, textOf } from './json-rpc.ts';
import type { CallNotes, ObservedCall } from './observed-call.ts';

/** A call as it may leave, with what travels beside it. */
export interface Reduced {
  readonly call: ToolCall;
  readonly payload?: CallPayload;
  readonly listing?: CatalogueListing;
}

/** Names come from a client; a row's key is no place for more. */
const LONGEST_NAME = 256;

/** Methods whose arguments and results say what an agent did; the others are housekeeping, or someone's prompt. */
const METHODS_WITH_VALUES: readonly string[] = [METHOD_TOOLS_CALL, METHOD_PROMPTS_GET, METHOD_RESOURCES_READ];

/** Reduces a call, whole. */
export function reduceCall(observed: ObservedCall, reduction: Reduction): Reduced {
  const steps = reduceCallSteps(observed, reduction);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps of well under a millisecond, for whoever works beside somebody else's requests. */
export function* reduceCallSteps(
  observed: ObservedCall,
  reduction: Reduction,
): Generator<undefined, Reduced> {
  const { sighting, summary } = observed;
  const asked = askedToolOf(observed);
  const toolName = asked.slice(0, LONGEST_NAME);
  const schema = toolName === '' ? undefined : sighting?.inputSchemaOf(toolName);
  const judgement = summary?.judgement ?? judgeCall(observed);
  const args = hasValues(observed) ? yield* argumentStepsOf(observed, schema, reduction) : undefined;
  yield;
  const result = yield* resultStepsOf(observed, toolName, reduction);
  const payload = args && toCallPayload(args, result);
  const listing = listingOf(observed);
  return {
    call: {
      ...identityOf(observed, reduction),
      ...judgementOf(judgement, schema, reduction),
      toolName: reduceName(asked, reduction),
      ...(args === undefined ? NO_ARGUMENTS : withoutPayload(args)),
      ...withoutPayload(result),
      // Says with which key the principal was hashed, too; a listing has no values of its own.
      ...(observed.open.principal !== '' && { fingerprintKeyId: reduction.fingerprinter.keyId }),
    },
    ...(payload && { payload }),
    ...(listing && { listing }),
  };
}

/** How a call ended, from its raw values. */
export function judgeCall({ open, ending, sighting }: ObservedCall): Judgement {
  const toolName = askedToolOf({ open }).slice(0, LONGEST_NAME);
  const toolKnown = sighting?.knows(toolName);
  return judge({
    ...ending,
    ...(toolName !== '' && { toolName }),
    ...(toolKnown !== undefined && { toolKnown }),
  });
}

/** Arguments and result of a call, raw; undefined where they are none of ours to describe. */
export function valuesOf(observed: ObservedCall): { readonly arguments: unknown; readonly result: unknown } {
  const { method, params } = observed.open;
  if (!hasValues(observed)) return { arguments: undefined, result: undefined };
  return { arguments: argumentsOf(method, params), result: resultOf(observed) };
}

function hasValues({ open }: ObservedCall): boolean {
  return open.side === 'server' && METHODS_WITH_VALUES.includes(open.method);
}

function askedToolOf({ open }: Pick<ObservedCall, 'open'>): string {
  return open.method === METHOD_TOOLS_CALL ? textOf(open.params, 'name') : '';
}

function* argumentStepsOf(observed: ObservedCall, schema: unknown, reduction: Reduction) {
  const bytes = observed.summary?.argumentsBytes;
  if (bytes !== undefined) return undescribedArguments(bytes, reduction);
  return yield* argumentSteps(valuesOf(observed).arguments, schema, reduction);
}

function* resultStepsOf(observed: ObservedCall, toolName: string, reduction: Reduction) {
  const { open, sighting, summary } = observed;
  if (summary !== undefined && hasValues(observed)) return undescribedResult(summary.resultBytes, reduction);
  return yield* resultSteps(valuesOf(observed).result, reduction, {
    schema: sighting?.outputSchemaOf(toolName),
    atMs: (open.startedAt.wallUs + observed.durationUs) / 1000,
  });
}

const NO_ARGUMENTS = {
  fingerprintKeyId: '',
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsShape: '',
  argumentsBytes: 0,
} as const;

function identityOf(observed: ObservedCall, reduction: Reduction) {
  const { open, server, client } = observed;
  const name = (given: string): string => reduceName(given, reduction);
  return {
    traceId: open.ids.traceId,
    spanId: open.ids.spanId,
    parentSpanId: open.ids.parentSpanId,
    serverName: name(server.name),
    serverVersion: name(server.version),
    environment: name(observed.environment),
    clientName: name(client.name),
    clientVersion: name(client.version),
    protocolVersion: name(observed.protocolVersion),
    transport: open.transport,
    principal: open.principal === '' ? '' : reduction.fingerprinter.fingerprint(open.principal),
    sessionId: reduceId(open.session.id, reduction),
    sessionSource: open.session.source,
    sessionConfidence: CONFIDENCE_OF_SOURCE[open.session.source],
    planId: reduceId(open.planId, reduction),
    side: open.side,
    method: name(open.method),
    target: name(targetOf(open.method, open.params)),
    requestId: name(String(open.requestId)),
    startedAtUs: open.startedAt.wallUs,
    durationUs: observed.durationUs,
    catalogueHash: observed.sighting?.catalogue().hash ?? '',
    attributes: { ...guardAttributesOf(open.notes.guard), ...undescribedAttributeOf(observed) },
  };
}

function undescribedAttributeOf(observed: ObservedCall): Record<string, string> {
  const { summary } = observed;
  if (summary === undefined || !hasValues(observed)) return {};
  return { [ATTR_NOT_DESCRIBED]: summary.argumentsBytes === undefined ? 'result' : 'all' };
}

const GUARD_ATTRIBUTES = {
  blocked: ATTR_GUARD_BLOCKED,
  would_block: ATTR_GUARD_WOULD_BLOCK,
  nudged: ATTR_GUARD_NUDGED,
} as const;

function guardAttributesOf(guard: CallNotes['guard']): Record<string, string> {
  return guard === undefined ? {} : { [GUARD_ATTRIBUTES[guard.verdict]]: guard.code };
}

function judgementOf(judgement: Judgement, schema: unknown, reduction: Reduction) {
  return {
    ...judgement,
    errorCode: reduceName(judgement.errorCode, reduction),
    errorType: reduceName(judgement.errorType, reduction),
    errorMessage: reduceMessage(judgement.errorMessage, reduction, { schema }),
    errorArgument: reduceArgumentPath(judgement.errorArgument, schema, reduction),
    errorFingerprint: failureFingerprint(judgement.errorMessage, reduction),
  };
}

function argumentsOf(method: string, params: unknown): unknown {
  return method === METHOD_RESOURCES_READ ? { uri: fieldOf(params, 'uri') } : fieldOf(params, 'arguments');
}

function resultOf({ ending }: ObservedCall): unknown {
  return ending.kind === 'result' ? ending.result : ending.error;
}

/** The prompt's name, or the scheme of a resource: the rest of a URI is a value. */
function targetOf(method: string, params: unknown): string {
  if (method === METHOD_PROMPTS_GET) return textOf(params, 'name');
  return /^([a-z][a-z0-9+.-]{0,31}):/i.exec(textOf(params, 'uri'))?.[1]?.toLowerCase() ?? '';
}

function listingOf({ open, sighting, server, environment, listings, ending }: ObservedCall) {
  if (open.method !== METHOD_TOOLS_LIST || sighting === undefined || ending.kind !== 'result')
    return undefined;
  const catalogue = sighting.catalogue();
  const origin = 'list';
  const { name: serverName, version: serverVersion } = server;
  const isDue = listings.take(
    { serverName, serverVersion, origin, hash: catalogue.hash },
    open.startedAt.wallUs,
  );
  if (!isDue) return undefined;
  return {
    serverName,
    serverVersion,
    environment,
    listedAtUs: open.startedAt.wallUs,
    origin,
    catalogue,
  } as const;
}

function withoutPayload<T extends { readonly payload?: unknown }>(reduced: T): Omit<T, 'payload'> {
  const { payload: _, ...rest } = reduced;
  return rest;
}

// The second delivery: a call is also a span of the host's own tracer, where the host has one. Its provider is looked
// up at each call, because hosts register theirs late; nothing is ever registered by us.

import type * as OtelApi from '@opentelemetry/api';
import { toProcessId } from '../../core/dialects/process-id.ts';
import { type ExportedCall, toSpan } from '../../core/dialects/toolscope-span.ts';
import { fieldOf, isRecord, metaOf, textFieldOf } from '../../core/observer/json-rpc.ts';
import type { CallStart, SpanIds } from '../../core/observer/observed-call.ts';
import type { Attributes } from '../../core/otlp/span.ts';
import {
  ATTR_METHOD_NAME,
  ATTR_PROMPT_NAME,
  ATTR_TOOL_NAME,
  META_TRACESTATE,
  METHOD_PROMPTS_GET,
  METHOD_TOOLS_CALL,
} from '../../core/semconv/conventions.ts';
import { TOOLSCOPE_SCOPE } from '../../core/semconv/toolscope-attributes.ts';
import { redactShortText } from '../../core/values/redact-text.ts';
import { loadOtelApi } from './otel-api.ts';

type OtelApiModule = typeof OtelApi;

/** A TracerProvider of OpenTelemetry's API, by the one method we call; typed so that the API stays optional. */
export interface TracerProviderShape {
  getTracer(name: string, version?: string): object;
}

/** The host's span of one open call. */
export interface HostSpan {
  readonly ids: SpanIds;
  readonly context: OtelApi.Context;
  /** Runs what handles the call with the span active. */
  run<T>(handle: () => T): T;
  /** Writes what the call came to and ends the span at the call's own end. */
  end(reduced: ExportedCall): void;
  /** Of the provider's resource, as `toProcessId` has it; '' while it is not known. */
  processId(): string;
  /** Ends the span at `endUs` (microseconds since the epoch) without saying what the call came to. */
  abandon(endUs: number): void;
}

/**
 * Opens the host's span of a call, the client's trace as its parent and the ambient span as a link.
 *
 * @param parent the span of the call during which the server sent this request.
 * @param givenProvider the host's choice of provider; else the global one.
 * @returns undefined where the host has no tracing.
 */
export function openHostSpan(
  start: CallStart,
  parent: HostSpan | undefined,
  givenProvider?: TracerProviderShape,
): HostSpan | undefined {
  const api = loadOtelApi();
  const provider = api && (givenProvider ?? findRegisteredProvider(api));
  if (api === undefined || provider === undefined) return undefined;
  // The shape promises a getTracer; what it makes is the API's Tracer, which the optional peer keeps out of our types.
  const tracer = provider.getTracer(TOOLSCOPE_SCOPE) as OtelApi.Tracer;
  const ambient = parent?.context ?? api.context.active();
  const remote = parent === undefined ? toRemoteContext(api, start) : undefined;
  const ambientSpan = api.trace.getSpanContext(ambient);
  const span = tracer.startSpan(
    toSpanName(start),
    {
      kind: start.side === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT,
      startTime: start.startedAt.wallUs / 1000,
      attributes: toStartAttributes(start),
      links: remote !== undefined && ambientSpan !== undefined ? [{ context: ambientSpan }] : [],
    },
    remote === undefined ? ambient : api.trace.setSpanContext(ambient, remote),
  );
  const parentSpan = remote ?? ambientSpan;
  const { traceId, spanId } = span.spanContext();
  // A tracer that does nothing answers with an empty context, or with its parent's own.
  if (!api.isSpanContextValid(span.spanContext()) || spanId === parentSpan?.spanId) return undefined;
  const sameTrace = parentSpan?.traceId === traceId;
  return createHostSpan(api, span, {
    provider,
    ids: { traceId, spanId, parentSpanId: sameTrace ? parentSpan.spanId : '' },
  });
}

interface HostSpanOrigin {
  readonly provider: TracerProviderShape;
  readonly ids: SpanIds;
}

function createHostSpan(api: OtelApiModule, span: OtelApi.Span, { provider, ids }: HostSpanOrigin): HostSpan {
  const context = api.trace.setSpan(api.context.active(), span);
  return {
    ids,
    context,
    run: (handle) => api.context.with(context, handle),
    processId: () => readProcessId(span, provider),
    abandon: (endUs) => span.end(endUs / 1000),
    end({ call, payload }) {
      // Without the catalogue: it is ours to know, and too long for a backend that did not ask.
      const { attributes, status, endUs } = toSpan({ call, ...(payload && { payload }) });
      // Ours are texts, numbers and booleans; the wider type is for what strangers send.
      span.setAttributes(attributes as OtelApi.Attributes);
      if (status.code !== 0) span.setStatus(status);
      span.end(endUs / 1000);
    },
  };
}

/** By provider: a span that is not sampled has no resource, but those before it had. */
const processIds = new WeakMap<TracerProviderShape, string>();

function readProcessId(span: object, provider: TracerProviderShape): string {
  const known = processIds.get(provider);
  if (known !== undefined) return known;
  const attributes = readResourceAttributes(span);
  if (attributes === undefined) return '';
  const processId = toProcessId(attributes);
  processIds.set(provider, processId);
  return processId;
}

/** What the SDK's spans say of their resource, without what is still being detected: the SDK complains when asked for that. */
function readResourceAttributes(span: object): Attributes | undefined {
  const resource = fieldOf(span, 'resource');
  if (!isRecord(resource)) return undefined;
  const { getRawAttributes } = resource;
  const attributes: unknown =
    typeof getRawAttributes === 'function'
      ? toFirstValues(getRawAttributes.call(resource))
      : resource['attributes'];
  return isRecord(attributes) ? (attributes as Attributes) : undefined;
}

/** Of a name that is there twice, the first counts. */
function toFirstValues(raw: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(
    raw.filter(([, value]) => value !== undefined && !(value instanceof Promise)).toReversed(),
  );
}

/** Whether somebody in this process registered a TracerProvider. */
export function hasTracing(): boolean {
  const api = loadOtelApi();
  return api !== undefined && findRegisteredProvider(api) !== undefined;
}

/** The global provider, unless it is the API's stand-in for one that nobody registered. */
function findRegisteredProvider(api: OtelApiModule): TracerProviderShape | undefined {
  const provider = api.trace.getTracerProvider();
  if (!('getDelegate' in provider) || typeof provider.getDelegate !== 'function') return provider;
  const delegate: unknown = provider.getDelegate();
  const standIn = new api.ProxyTracerProvider().getDelegate();
  const isReal = delegate !== standIn && delegate?.constructor?.name !== 'NoopTracerProvider';
  return isReal ? provider : undefined;
}

function toRemoteContext(
  api: OtelApiModule,
  { traceParent, params }: CallStart,
): OtelApi.SpanContext | undefined {
  if (traceParent === undefined) return undefined;
  const traceState = textFieldOf(metaOf(params), META_TRACESTATE);
  return {
    traceId: traceParent.traceId,
    spanId: traceParent.spanId,
    traceFlags: traceParent.flags,
    isRemote: true,
    ...(traceState !== '' && { traceState: api.createTraceState(traceState) }),
  };
}

function toSpanName({ method, params }: CallStart): string {
  const hasTarget = method === METHOD_TOOLS_CALL || method === METHOD_PROMPTS_GET;
  const target = hasTarget ? redactShortText(textFieldOf(params, 'name')) : '';
  return target === '' ? method : `${method} ${target}`;
}

/** What samplers may want to see; the rest is written when the call has ended. */
function toStartAttributes({ method, params }: CallStart): OtelApi.Attributes {
  const target = redactShortText(textFieldOf(params, 'name'));
  return {
    [ATTR_METHOD_NAME]: method,
    ...(method === METHOD_TOOLS_CALL && target !== '' && { [ATTR_TOOL_NAME]: target }),
    ...(method === METHOD_PROMPTS_GET && target !== '' && { [ATTR_PROMPT_NAME]: target }),
  };
}

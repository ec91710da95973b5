// Records calls as spans of the host's own tracer, if it has one. The provider is looked up for each call,
// because hosts may register it late; we never register one.

import type * as OtelApi from '@opentelemetry/api';
import { toProcessId } from '../../core/dialects/semconv-dialect.ts';
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
import type { TracerProviderShape } from './tracer-provider-shape.ts';

type OtelApiModule = typeof OtelApi;

export interface HostSpan {
  readonly ids: SpanIds;
  readonly context: OtelApi.Context;
  run<T>(handle: () => T): T;
  /** Records the outcome and ends the span at the end time of the call. */
  end(reduced: ExportedCall): void;
  /** Process id from the provider's resource, in the form of `toProcessId`; '' while unknown. */
  processId(): string;
  /** Ends the span at `endUs` (microseconds since the epoch) without an outcome. */
  abandon(endUs: number): void;
}

/**
 * Starts the host's span of a call, with the client's trace as parent and the ambient span as a link.
 * @param parent the span of the call during which the server sent this request
 * @returns undefined when the host has no tracing
 */
export function openHostSpan(
  start: CallStart,
  parent: HostSpan | undefined,
  givenProvider?: TracerProviderShape,
): HostSpan | undefined {
  const api = loadOtelApi();
  const provider = api && (givenProvider ?? findRegisteredProvider(api));
  if (api === undefined || provider === undefined) return undefined;
  // `TracerProviderShape` only guarantees getTracer; its result is the API's Tracer, a type of the optional
  // peer dependency.
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
  // A no-op tracer returns an empty context, or that of the parent.
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
      // Without the catalogue, which is for our service only and too long for other backends.
      const { attributes, status, endUs } = toSpan({ call, ...(payload && { payload }) });
      // Our values are strings, numbers and booleans; the wider type is for received attributes.
      span.setAttributes(attributes as OtelApi.Attributes);
      if (status.code !== 0) span.setStatus(status);
      span.end(endUs / 1000);
    },
  };
}

/** Per provider: an unsampled span has no resource, but earlier spans had. */
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

/** Except pending attributes: the SDK logs a warning when those are read. */
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

/** When a name occurs twice, the first value counts. */
function toFirstValues(raw: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(
    raw.filter(([, value]) => value !== undefined && !(value instanceof Promise)).toReversed(),
  );
}

export function hasTracing(): boolean {
  const api = loadOtelApi();
  return api !== undefined && findRegisteredProvider(api) !== undefined;
}

/** Returns the global provider unless it is the API's no-op default. */
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

/** Attributes that samplers may use; the others are set when the call has ended. */
function toStartAttributes({ method, params }: CallStart): OtelApi.Attributes {
  const target = redactShortText(textFieldOf(params, 'name'));
  return {
    [ATTR_METHOD_NAME]: method,
    ...(method === METHOD_TOOLS_CALL && target !== '' && { [ATTR_TOOL_NAME]: target }),
    ...(method === METHOD_PROMPTS_GET && target !== '' && { [ATTR_PROMPT_NAME]: target }),
  };
}

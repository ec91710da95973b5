// A stored call as one instrumentation's report of it. Two instrumentations in one process report each call
// twice, under unrelated ids; this module decides whether two reports are of the same call. Pure.

import type { CallReportFields } from '../../core/model/tool-call.ts';
import { ATTR_SCOPE_NAME } from '../../core/semconv/conventions.ts';
import { ATTR_PROCESS_ID, TOOLSCOPE_SCOPE } from '../../core/semconv/toolscope-attributes.ts';

export interface CallReport {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Instrumentation scope. */
  readonly emitter: string;
  readonly processId: string;
  readonly method: string;
  /** '' if unknown; some emitters omit names that are not tools. */
  readonly toolName: string;
  readonly requestId: string;
  /** Transport session id; '' if unknown. */
  readonly sessionId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly endedAtUs: number;
}

/**
 * @returns undefined for a call that cannot be compared: unknown process or request id, or sent by the server
 */
export function toCallReport(call: CallReportFields): CallReport | undefined {
  const processId = call.attributes[ATTR_PROCESS_ID] ?? '';
  if (processId === '' || call.requestId === '' || call.side !== 'server') return undefined;
  return {
    traceId: call.traceId,
    spanId: call.spanId,
    parentSpanId: call.parentSpanId,
    emitter: call.attributes[ATTR_SCOPE_NAME] ?? TOOLSCOPE_SCOPE,
    processId,
    method: call.method,
    toolName: call.toolName,
    requestId: call.requestId,
    sessionId: call.sessionSource === 'transport' ? call.sessionId : '',
    startedAtUs: call.startedAtUs,
    endedAtUs: call.startedAtUs + call.durationUs,
  };
}

/** Whether it is from Toolscope's wrapper, which has the most detail. */
export function isWrapperReport({ emitter }: CallReport): boolean {
  return emitter === TOOLSCOPE_SCOPE;
}

/** Microseconds by which the inner report may exceed the outer one: many emitters use a millisecond clock. */
export const TOLERANCE_US = 5_000;
/**
 * Maximum microseconds between the starts of two reports: the work of an outer emitter before the inner one
 * starts.
 */
export const MAX_LEAD_US = 1_000_000;

/** Whether two reports may be of the same call. The caller must ensure that no third report matches. */
export function mayBeSameCall(one: CallReport, other: CallReport): boolean {
  return (
    one.emitter !== other.emitter &&
    one.processId === other.processId &&
    one.method === other.method &&
    one.requestId === other.requestId &&
    areCompatible(one.toolName, other.toolName) &&
    areCompatible(one.sessionId, other.sessionId) &&
    (isWithin(one, other) || isWithin(other, one)) &&
    Math.abs(one.startedAtUs - other.startedAtUs) <= MAX_LEAD_US &&
    areRelated(one, other)
  );
}

function areCompatible(one: string, other: string): boolean {
  return one === other || one === '' || other === '';
}

function isWithin(inner: CallReport, outer: CallReport): boolean {
  return (
    inner.startedAtUs >= outer.startedAtUs - TOLERANCE_US && inner.endedAtUs <= outer.endedAtUs + TOLERANCE_US
  );
}

/**
 * A span between them in the trace is a separate request: a gateway that calls a server in its own process.
 */
function areRelated(one: CallReport, other: CallReport): boolean {
  return (
    one.traceId !== other.traceId ||
    one.parentSpanId === other.parentSpanId ||
    one.parentSpanId === other.spanId ||
    other.parentSpanId === one.spanId
  );
}

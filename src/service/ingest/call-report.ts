// A stored call as one instrumentation's report of it. Two instrumentations in one process that both send spans here report each
// call twice, under ids that have nothing to do with one another; whether two reports are of one call is decided here. Pure.

import type { CallReportFields } from '../../core/model/reported-call.ts';
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
  /** '' where it is not known; some emitters leave out names that are no tool's. */
  readonly toolName: string;
  readonly requestId: string;
  /** Of the transport; '' where it is not known. */
  readonly sessionId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly endedAtUs: number;
}

/** @returns undefined for a call that cannot be compared: its process or its request id is not known, or the server sent it */
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

/** Whether it is the wrapper's own, which says most of a call. */
export function isWrapperReport({ emitter }: CallReport): boolean {
  return emitter === TOOLSCOPE_SCOPE;
}

/** Microseconds by which the inner of two reports may stick out of the outer: many emitters read a clock of milliseconds. */
export const TOLERANCE_US = 5_000;
/** Microseconds between the starts of two reports at most: what an emitter further out does before the inner one begins. */
export const MAX_LEAD_US = 1_000_000;

/** Whether two reports may be of one call. That no third could be meant as well is for whoever knows the others. */
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

/** In one trace, a span in between is a request of its own: a gateway that asks a server in its own process. */
function areRelated(one: CallReport, other: CallReport): boolean {
  return (
    one.traceId !== other.traceId ||
    one.parentSpanId === other.parentSpanId ||
    one.parentSpanId === other.spanId ||
    other.parentSpanId === one.spanId
  );
}

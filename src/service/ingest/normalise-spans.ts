// What each span of a request comes to: refused, ignored, or an entry for the journal. Pure; de-duplication comes after.
// A refused span is the sender's mistake and is told; an ignored one is fine, just no call.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { dropNestedServerSpans } from '../../core/dialects/nested-server-spans.ts';
import { type NormalisedSpan, normaliseSpan } from '../../core/dialects/normalise-span.ts';
import type { CatalogueListing } from '../../core/model/catalogue.ts';
import type { CallPayload, ToolCall } from '../../core/model/tool-call.ts';
import type { OtlpSpan } from '../../core/otlp/span.ts';
import type { RedactionOptions } from '../../core/values/redact-values.ts';

/** How far ahead of ours a sender's clock may be. */
export const MAX_CLOCK_SKEW_MS = 10 * 60 * 1000;

/** Reasons, and how each is told to the sender. */
export const REJECTION_LABELS = {
  bad_id: 'with a malformed trace or span id',
  too_old: 'from before the retention',
  in_future: 'more than 10 minutes ahead of the clock here',
  too_many: 'beyond what one request may hold',
} as const;

export type RejectionReason = keyof typeof REJECTION_LABELS;

/** How long one request may keep the event loop; a span with long arguments takes up to a millisecond. */
const MAX_BLOCKING_MS = 10;

/** What one accepted span comes to: a call with what belongs to it, or the listing of a server that started. */
export interface SpanEntry {
  readonly traceId: string;
  readonly spanId: string;
  readonly call?: ToolCall;
  readonly payload?: CallPayload;
  readonly listing?: CatalogueListing;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly endedAtUs: number;
  /** Calls its producer lost since its last report. */
  readonly droppedCalls: number;
}

export interface SkippedSpans {
  readonly rejected: ReadonlyMap<RejectionReason, number>;
  readonly ignored: ReadonlyMap<string, number>;
}

export interface SpanTimeLimits {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly retentionMs: number;
}

export interface NormaliseSpansOptions {
  readonly limits: SpanTimeLimits;
  readonly redaction: RedactionOptions;
  /** Takes each accepted span as soon as it is reduced, so that they need not be alive together. */
  readonly onEntry: (entry: SpanEntry) => void;
}

/** Sorts the spans of one request; a large one in several turns of the event loop, so that others are answered in between. */
export async function normaliseSpans(
  spans: readonly OtlpSpan[],
  { limits, redaction, onEntry }: NormaliseSpansOptions,
): Promise<SkippedSpans> {
  const rejected = new Map<RejectionReason, number>();
  const ignored = new Map<string, number>();
  const valid = spans.filter((span) => {
    const rejection = findRejection(span, limits);
    if (rejection !== undefined) increment(rejected, rejection);
    return rejection === undefined;
  });
  const { kept, dropped } = dropNestedServerSpans(valid);
  if (dropped.length > 0) ignored.set('nested_server_span', dropped.length);
  let startedMs = performance.now();
  for (const span of kept) {
    if (performance.now() - startedMs > MAX_BLOCKING_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    const normalised = normaliseSpan(span, redaction);
    if (normalised.kind === 'ignored') increment(ignored, normalised.reason);
    else onEntry(toSpanEntry(span, normalised));
  }
  return { rejected, ignored };
}

function toSpanEntry(
  span: OtlpSpan,
  { kind: _, ...parts }: Exclude<NormalisedSpan, { kind: 'ignored' }>,
): SpanEntry {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    startedAtUs: span.startUs,
    endedAtUs: span.endUs,
    ...parts,
  };
}

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

function findRejection(span: OtlpSpan, { nowMs, retentionMs }: SpanTimeLimits): RejectionReason | undefined {
  if (!TRACE_ID.test(span.traceId) || !SPAN_ID.test(span.spanId)) return 'bad_id';
  // Both ends, so that neither a missing one (0) nor an absurd duration gets through.
  const earliest = (nowMs - retentionMs) * 1000;
  if (!(span.startUs >= earliest && span.endUs >= earliest)) return 'too_old';
  const latest = (nowMs + MAX_CLOCK_SKEW_MS) * 1000;
  return span.startUs <= latest && span.endUs <= latest ? undefined : 'in_future';
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** @returns a sentence for the person who runs the sender, without any value */
export function describeRejections(rejected: ReadonlyMap<RejectionReason, number>): string {
  const parts = [...rejected].map(([reason, spans]) => `${spans} ${REJECTION_LABELS[reason]}`);
  return `Refused spans: ${parts.join(', ')}.`;
}

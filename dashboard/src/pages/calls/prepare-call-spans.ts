// Where the bars of a call's spans stand: in per cent of the call, or of the last span that ends after it.
import type { CallSpan } from '../../../../src/contract/child-spans.ts';

export interface SpanBar {
  readonly span: CallSpan;
  /** In per cent of the width. */
  readonly left: number;
  readonly width: number;
}

/** Narrower bars would not be seen. */
const MIN_WIDTH = 0.5;

export function prepareSpanBars(spans: readonly CallSpan[], callMs: number): SpanBar[] {
  const ends = spans.map(({ offsetMs, durationMs }) => offsetMs + durationMs);
  const wholeMs = Math.max(callMs, ...ends, 0.001);
  return spans.map((span) => {
    const fromMs = Math.max(0, span.offsetMs);
    const width = Math.max(MIN_WIDTH, (100 * span.durationMs) / wholeMs);
    const left = Math.min((100 * fromMs) / wholeMs, 100 - MIN_WIDTH);
    return { span, left, width: Math.min(width, 100 - left) };
  });
}

/** The part of the call that is in no span, in milliseconds; spans may run at the same time. */
export function computeOwnMs(spans: readonly CallSpan[], callMs: number): number {
  let [coveredMs, reachedMs] = [0, 0];
  const sorted = spans.toSorted((one, other) => one.offsetMs - other.offsetMs);
  for (const { offsetMs, durationMs } of sorted) {
    const fromMs = Math.max(offsetMs, reachedMs);
    const toMs = Math.min(offsetMs + durationMs, callMs);
    if (toMs <= fromMs) continue;
    coveredMs += toMs - fromMs;
    reachedMs = toMs;
  }
  return Math.max(0, callMs - coveredMs);
}

// Positions each call in the waterfall: in real time from start to end, or evenly spaced.
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { toSessionCallKey } from './compare-calls.ts';

export interface WaterfallBar {
  /** From 0 to 1 of the session's length. */
  readonly from: number;
  readonly width: number;
}

/** @returns by `toSessionCallKey`; at least one thousandth wide, so that every call is visible */
export function prepareWaterfall(
  calls: readonly SessionCallRow[],
  spacing: 'time' | undefined,
): ReadonlyMap<string, WaterfallBar> {
  if (spacing === undefined) {
    const width = 1 / Math.max(1, calls.length);
    return new Map(calls.map((call, at) => [toSessionCallKey(call), { from: at * width, width }]));
  }
  const starts = calls.map(({ startedAt }) => Date.parse(startedAt));
  const first = Math.min(...starts);
  const last = Math.max(...calls.map(({ durationMs }, at) => (starts[at] ?? first) + durationMs));
  const length = Math.max(1, last - first);
  return new Map(
    calls.map((call, at) => [
      toSessionCallKey(call),
      {
        from: ((starts[at] ?? first) - first) / length,
        width: Math.max(0.001, call.durationMs / length),
      },
    ]),
  );
}

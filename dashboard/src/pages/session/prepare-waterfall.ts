// Where each call lies in the session: in real time from start to end, or evenly spaced.
import type { CallRow } from '../../../../src/contract/calls.ts';
import { toCallKey } from '../../view/call-key.ts';

/** A position and a width from 0 to 1 of the session's length. */
export interface WaterfallBar {
  readonly from: number;
  readonly width: number;
}

export type TimedCall = Pick<CallRow, 'startedAt' | 'durationMs'>;

/** The time that the calls cover, at least one millisecond. */
export function toTimeSpan(calls: readonly TimedCall[]) {
  const startMs = Math.min(...calls.map(({ startedAt }) => Date.parse(startedAt)));
  const endMs = Math.max(...calls.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs));
  return { startMs, lengthMs: Math.max(1, endMs - startMs) };
}

/** @returns by `toCallKey`; at least one thousandth wide in real time, so that every call is visible */
export function prepareWaterfall(
  calls: readonly CallRow[],
  spacing: 'time' | undefined,
): ReadonlyMap<string, WaterfallBar> {
  const { startMs, lengthMs } = toTimeSpan(calls);
  const evenWidth = 1 / Math.max(1, calls.length);
  const toBar = ({ startedAt, durationMs }: TimedCall, at: number): WaterfallBar =>
    spacing === 'time'
      ? {
          from: (Date.parse(startedAt) - startMs) / lengthMs,
          width: Math.max(0.001, durationMs / lengthMs),
        }
      : { from: at * evenWidth, width: evenWidth };
  return new Map(calls.map((call, at) => [toCallKey(call), toBar(call, at)]));
}

// Follows one tool minute by minute: its failures, all and by code, its latency and its call rate.

import { countMinute, startHour } from './baseline.ts';
import type { ChangePoint, MinuteFailure, ToolMinute } from './change-point.ts';
import { stepFailures } from './failure-monitor.ts';
import { forgetOldRuns, separateFailures } from './failure-runs.ts';
import { stepLatency } from './latency-monitor.ts';
import { restoreRate, stepRate } from './rate-monitor.ts';
import { MIN_HOURLY_CALLS } from './thresholds.ts';
import {
  isChanged,
  MINUTES_PER_HOUR,
  type MonitorMinute,
  refreshLevels,
  type ToolMonitorState,
} from './tool-state.ts';
import { toUsualCalls } from './usual-rate.ts';

const NO_MINUTE: Omit<ToolMinute, 'tool'> = { calls: 0, cappedCalls: 0, failures: [], latencies: [] };

/** Number of tests, each of which may raise a false alarm. */
export function countTests({ levels, codes, rate }: ToolMonitorState): number {
  return (levels ? 6 + 2 * Object.keys(codes).length : 0) + (rate.isTested ? 2 : 0);
}

/** @param seen undefined if the tool had no calls; @returns the changes that began or ended */
export function stepTool(
  state: ToolMonitorState,
  seen: ToolMinute | undefined,
  now: MonitorMinute,
): ChangePoint[] {
  const hour = Math.floor(now.minute / MINUTES_PER_HOUR);
  if (hour !== state.hour) startToolHour(state, hour);
  const { cappedCalls, latencies } = seen ?? NO_MINUTE;
  const rates = stepRate(state.rate, cappedCalls, now).map((change) => ({ ...change, tool: state.tool }));
  if (!seen || seen.calls === 0) return rates;
  const { failures, repeated } = separateFailures(state.runs, now.minute, seen.failures);
  const calls = seen.calls - repeated;
  state.last = { minute: now.minute, calls, failures };
  countMinute(state.baseline, hour, { calls, failures: sumByCode(failures), latencies });
  const failed = state.levels ? stepFailures(state, { calls, failures, levels: state.levels }, now) : [];
  // A fall begins the usual levels anew.
  const slowed = state.levels ? stepLatency(state, { latencies, levels: state.levels }, now) : [];
  return [...rates, ...failed, ...slowed];
}

function startToolHour(state: ToolMonitorState, hour: number): void {
  const { baseline } = state;
  startHour(baseline, hour, { isChanged: isChanged(state), levels: state.levels });
  state.hour = hour;
  forgetOldRuns(state.runs, hour * MINUTES_PER_HOUR);
  refreshLevels(state);
  const isBusy =
    toUsualCalls(state.rate.usual, hour * MINUTES_PER_HOUR + 30) * MINUTES_PER_HOUR >= MIN_HOURLY_CALLS;
  state.rate.isTested = isBusy || state.rate.series.open !== undefined;
}

function sumByCode(failures: readonly MinuteFailure[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { code, calls } of failures) sums.set(code, (sums.get(code) ?? 0) + calls);
  return sums;
}

/** Rates of a state that was read begin anew where a minute is missing. */
export const restoreTool = (state: ToolMonitorState): void => {
  refreshLevels(state);
  restoreRate(state.rate);
};

// What is known of a tool from minute to minute, and what a change of it leaves.

import {
  type BaselineState,
  createBaseline,
  dropHoursFrom,
  restartBaseline,
  type ToolLevels,
  toCodeLevel,
  toToolLevels,
} from './baseline.ts';
import type { ChangePoint, MinuteFailure } from './change-point.ts';
import type { FailureRuns } from './failure-runs.ts';
import type { Level } from './level.ts';
import { createRateMonitor, type RateMonitorState } from './rate-monitor.ts';
import { createSeries, resetSeries, type SeriesState } from './series-monitor.ts';

/** State of a tool; plain data. `levels` are derived from the baseline every hour. */
export interface ToolMonitorState {
  readonly tool: string;
  hour: number;
  readonly baseline: BaselineState;
  levels: ToolLevels | undefined;
  codeLevels: Record<string, Level>;
  readonly all: SeriesState;
  readonly codes: Record<string, SeriesState>;
  readonly median: SeriesState;
  readonly tail: SeriesState;
  readonly rate: RateMonitorState;
  runs: FailureRuns;
  /** The calls of the last minute that count as separate. */
  last: SeparateCalls | undefined;
}

interface SeparateCalls {
  readonly minute: number;
  readonly calls: number;
  readonly failures: readonly MinuteFailure[];
}

/** A minute, with what the server's monitor knows. */
export interface MonitorMinute {
  readonly minute: number;
  readonly logThreshold: number;
}

export const MINUTES_PER_HOUR = 60;

export function createToolMonitor(tool: string, minute: number): ToolMonitorState {
  const hour = Math.floor(minute / MINUTES_PER_HOUR);
  return {
    ...{ tool, hour, baseline: createBaseline(hour), levels: undefined, codeLevels: {} },
    ...{ all: createSeries(), codes: {}, median: createSeries(), tail: createSeries() },
    rate: createRateMonitor(hour),
    runs: {},
    last: undefined,
  };
}

export const isChanged = ({ all, codes, median, tail }: ToolMonitorState): boolean =>
  [all, median, tail, ...Object.values(codes)].some(({ open }) => open);

export const hasOpenErrors = ({ all, codes }: ToolMonitorState): boolean =>
  [all, ...Object.values(codes)].some(({ open }) => open);

/** Derives the levels again, for example after a state was read. */
export function refreshLevels(state: ToolMonitorState): void {
  state.levels = toToolLevels(state.baseline) ?? (isChanged(state) ? state.levels : undefined);
  state.codeLevels = Object.fromEntries(
    Object.keys(state.codes).map((code) => [code, toCodeLevel(state.baseline, code)]),
  );
}

/** A fall is the usual level from its onset on; a change that ended leaves no usual hours. */
export function settleChange(state: ToolMonitorState, to: ChangePoint['state'], onset: number): void {
  if (to === 'usual') {
    restartTool(state, onset);
    return;
  }
  if (to !== 'ended') return;
  dropHoursFrom(state.baseline, Math.floor(onset / MINUTES_PER_HOUR));
  resetSeries(state.all);
}

function restartTool(state: ToolMonitorState, onset: number): void {
  const { all, codes, median, tail, baseline } = state;
  for (const series of [all, median, tail, ...Object.values(codes)]) resetSeries(series);
  restartBaseline(baseline, Math.floor(onset / MINUTES_PER_HOUR));
  refreshLevels(state);
}

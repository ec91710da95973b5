// Changes in the failures of a tool: of one code, or of all codes together.

import { type ToolLevels, toCodeLevel } from './baseline.ts';
import type { ChangePoint, MinuteFailure } from './change-point.ts';
import { isWorthReporting } from './is-worth-reporting.ts';
import {
  type Candidate,
  createSeries,
  findCandidate,
  openSeries,
  resetSeries,
  type SeriesState,
} from './series-monitor.ts';
import { stepSeries } from './step-series.ts';
import { MAX_CODES } from './thresholds.ts';
import { endOf, toOpened } from './to-change-point.ts';
import { type MonitorMinute, settleChange, type ToolMonitorState } from './tool-state.ts';

interface FailureMinute {
  readonly calls: number;
  readonly failures: readonly MinuteFailure[];
  readonly levels: ToolLevels;
}

export function stepFailures(
  state: ToolMonitorState,
  { calls, failures, levels }: FailureMinute,
  now: MonitorMinute,
): ChangePoint[] {
  const { all, codes } = state;
  for (const { code } of failures) addCode(state, code);
  const ended = Object.entries(codes).flatMap(([code, series]) => {
    const own = failures.filter((one) => one.code === code);
    const level = state.codeLevels[code];
    if (all.open) return [];
    return level
      ? endOf(stepSeries(series, { minute: now.minute, calls, failures: own, level }), { code })
      : [];
  });
  const isCodeOpen = Object.values(codes).some(({ open }) => open);
  if (isCodeOpen) resetSeries(all);
  else
    ended.push(
      ...endOf(stepSeries(all, { minute: now.minute, calls, failures, level: levels.all }), { code: '' }),
    );
  const found = openFailures(state, now);
  for (const { state: to, onset } of [...ended, ...found]) settleChange(state, to, onset);
  return [...ended, ...found].map((change) => ({ ...change, tool: state.tool }));
}

function addCode(state: ToolMonitorState, code: string): void {
  if (state.codes[code] || Object.keys(state.codes).length >= MAX_CODES) return;
  state.codes[code] = createSeries();
  state.codeLevels[code] = toCodeLevel(state.baseline, code);
}

/** A code's change comes first; failures of all codes together are for changes without one. */
function openFailures(state: ToolMonitorState, { minute, logThreshold }: MonitorMinute): ChangePoint[] {
  const { all, codes } = state;
  if (all.open) return [];
  const found = Object.entries(codes).flatMap(([code, series]) => {
    const candidate = series.open ? undefined : findCandidate(series, logThreshold);
    if (!candidate || !isWorthReporting(candidate)) return [];
    return [toOpened('errors', openSeries(series, candidate, minute), { code })];
  });
  if (found.length > 0 || Object.values(codes).some(({ open }) => open)) return found;
  const candidate = findCandidate(all, logThreshold);
  if (!candidate || !isWorthReporting(candidate)) return [];
  const main = findMainCode(state, candidate);
  const series = (main === undefined ? undefined : codes[main]) ?? all;
  return [
    toOpened(
      'errors',
      openSeries(series, main === undefined ? candidate : toOwn(series, candidate), minute),
      { code: main ?? '' },
    ),
  ];
}

/** Share of the difference that one code must have for the change to be its own. */
const MAIN_CODE_SHARE = 0.6;

function findMainCode({ codes }: ToolMonitorState, { direction, window }: Candidate): string | undefined {
  const needed = MAIN_CODE_SHARE * Math.abs(window.hits - window.usual);
  return Object.entries(codes).find(([, series]) => {
    const own = findCandidate(series, Number.NEGATIVE_INFINITY);
    return own?.direction === direction && Math.abs(own.window.hits - own.window.usual) >= needed;
  })?.[0];
}

/** The window of the series itself, with the onset of the candidate. */
function toOwn(series: SeriesState, candidate: Candidate): Candidate {
  const own = findCandidate(series, Number.NEGATIVE_INFINITY);
  return own ? { ...candidate, window: { ...own.window, onset: candidate.window.onset } } : candidate;
}

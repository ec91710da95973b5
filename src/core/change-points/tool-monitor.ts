// Follows one tool minute by minute: its failures, all and by code, its latency and its call rate.

import type { ChangePointKind } from '../model/change-point-kinds.ts';
import {
  type BaselineState,
  countMinute,
  createBaseline,
  dropHoursFrom,
  restartBaseline,
  startHour,
  type ToolLevels,
  toCodeLevel,
  toToolLevels,
} from './baseline.ts';
import type { ChangePoint, MinuteFailure, ToolMinute } from './change-point.ts';
import { type FailureRuns, forgetOldRuns, separateFailures } from './failure-runs.ts';
import { isWorthReporting } from './is-worth-reporting.ts';
import { type Level, toOdds, toRatios, toReturnRatio } from './level.ts';
import { createRateMonitor, type RateMonitorState, restoreRate, stepRate } from './rate-monitor.ts';
import {
  addMinute,
  addOpenMinute,
  addSessions,
  type Candidate,
  createSeries,
  findCandidate,
  type OpenSeries,
  openSeries,
  resetSeries,
  type SeriesEnd,
  type SeriesState,
} from './series-monitor.ts';
import { MAX_CODES, MIN_HOURLY_CALLS } from './thresholds.ts';
import { toUsualCalls } from './usual-rate.ts';

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

const MINUTES_PER_HOUR = 60;
const NO_MINUTE: Omit<ToolMinute, 'tool'> = { calls: 0, cappedCalls: 0, failures: [], latencies: [] };

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

export const isChanged = ({ all, codes, median, tail }: ToolMonitorState): boolean =>
  [all, median, tail, ...Object.values(codes)].some(({ open }) => open);

export const hasOpenErrors = ({ all, codes }: ToolMonitorState): boolean =>
  [all, ...Object.values(codes)].some(({ open }) => open);

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

/** Derives the levels again, for example after a state was read. */
export function refreshLevels(state: ToolMonitorState): void {
  state.levels = toToolLevels(state.baseline) ?? (isChanged(state) ? state.levels : undefined);
  state.codeLevels = Object.fromEntries(
    Object.keys(state.codes).map((code) => [code, toCodeLevel(state.baseline, code)]),
  );
}

function sumByCode(failures: readonly MinuteFailure[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { code, calls } of failures) sums.set(code, (sums.get(code) ?? 0) + calls);
  return sums;
}

interface FailureMinute {
  readonly calls: number;
  readonly failures: readonly MinuteFailure[];
  readonly levels: ToolLevels;
}

function stepFailures(
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
    return level ? endOf(stepSeries(series, { calls, failures: own, level }, now), { code }) : [];
  });
  const isCodeOpen = Object.values(codes).some(({ open }) => open);
  if (isCodeOpen) resetSeries(all);
  else ended.push(...endOf(stepSeries(all, { calls, failures, level: levels.all }, now), { code: '' }));
  const found = openFailures(state, now);
  for (const { state: to, onset } of [...ended, ...found]) afterFailureChange(state, to, onset);
  return [...ended, ...found].map((change) => ({ ...change, tool: state.tool }));
}

function addCode(state: ToolMonitorState, code: string): void {
  if (state.codes[code] || Object.keys(state.codes).length >= MAX_CODES) return;
  state.codes[code] = createSeries();
  state.codeLevels[code] = toCodeLevel(state.baseline, code);
}

interface SeriesCounts {
  readonly calls: number;
  readonly failures: readonly Pick<MinuteFailure, 'session' | 'calls'>[];
  readonly level: Level;
}

function stepSeries(
  series: SeriesState,
  counts: SeriesCounts,
  { minute }: MonitorMinute,
): SeriesEnd | undefined {
  const { failures, level } = counts;
  const failed = failures.reduce((sum, one) => sum + one.calls, 0);
  if (series.open) {
    const seen = { minute, calls: counts.calls, hits: failed, usual: counts.calls * level.share };
    return addOpenMinute(series, seen, toReturnRatio(seen, level, toOddsRatio(series.open)));
  }
  const seen = { calls: counts.calls, hits: failed };
  addMinute(series, {
    ...seen,
    ...{ minute, usual: seen.calls * level.share },
    ...{ rise: toRatios(level.rise, seen), fall: toRatios(level.fall, seen) },
  });
  addSessions(series, failures);
  return undefined;
}

function toOddsRatio({ calls, hits, usual }: OpenSeries): number {
  const ratio = toOdds((hits + 0.5) / (calls + 1)) / toOdds((usual + 0.01) / (calls + 1));
  return ratio > 1 ? Math.max(1.3, ratio) : Math.min(0.75, ratio);
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

/** A fall is the usual level from its onset on; a change that ended leaves no usual hours. */
function afterFailureChange(state: ToolMonitorState, to: ChangePoint['state'], onset: number): void {
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

interface LatencyMinute {
  readonly latencies: ToolMinute['latencies'];
  readonly levels: ToolLevels;
}

/** Two tests, of which mostly both find a change: half of the calls are slower, or only the slowest are. */
function stepLatency(
  state: ToolMonitorState,
  { latencies, levels }: LatencyMinute,
  now: MonitorMinute,
): ChangePoint[] {
  const calls = latencies.reduce((sum, [, count]) => sum + count, 0);
  if (calls === 0) return [];
  const changes: ChangePoint[] = [];
  for (const name of ['median', 'tail'] as const) {
    const [series, other] = name === 'median' ? [state.median, state.tail] : [state.tail, state.median];
    if (other.open) continue;
    const { fromBin, level } = levels[name];
    const slow = latencies.reduce((sum, [bin, count]) => sum + (bin >= fromBin ? count : 0), 0);
    const slowFromUs = 2 ** (fromBin / 4);
    changes.push(
      ...endOf(stepSeries(series, { calls, failures: [{ session: '', calls: slow }], level }, now), {
        ...{ kind: 'latency', slowFromUs },
      }),
    );
    const candidate = series.open ? undefined : findCandidate(series, now.logThreshold);
    if (candidate && isWorthReporting(candidate))
      changes.push(toOpened('latency', openSeries(series, candidate, now.minute), { slowFromUs }));
    if (series.open) resetSeries(other);
  }
  for (const { state: to, onset } of changes) afterFailureChange(state, to, onset);
  return changes.map((change) => ({ ...change, tool: state.tool }));
}

interface ChangeNames {
  readonly kind?: ChangePointKind;
  readonly code?: string;
  readonly slowFromUs?: number;
}

/** A fall needs no end: it is the usual level at once. */
export function toOpened(
  kind: ChangePointKind,
  open: OpenSeries,
  { code = '', slowFromUs }: ChangeNames,
): ChangePoint {
  const isFall = kind !== 'calls' && open.direction === 'fell';
  return {
    ...open,
    ...{ kind, tool: '', code, slowFromUs, ended: undefined, state: isFall ? 'usual' : 'open' },
  };
}

export function endOf(
  end: SeriesEnd | undefined,
  { kind = 'errors', code = '', slowFromUs }: ChangeNames,
): ChangePoint[] {
  if (!end) return [];
  const { open, ended, state } = end;
  return [{ ...open, ...{ kind, tool: '', code, slowFromUs, ended, state } }];
}

/** Rates of a state that was read begin anew where a minute is missing. */
export const restoreTool = (state: ToolMonitorState): void => {
  refreshLevels(state);
  restoreRate(state.rate);
};

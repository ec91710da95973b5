// Follows a server minute by minute: each of its tools, and the server as a whole for changes that no tool has
// enough calls to show.

import type { ChangePoint, ToolMinute } from './change-point.ts';
import { isWorthReporting } from './is-worth-reporting.ts';
import { createLevel, toOdds, toRatios, toReturnRatio } from './level.ts';
import { createRateMonitor, type RateMonitorState, restoreRate, stepRate } from './rate-monitor.ts';
import {
  addMinute,
  addOpenMinute,
  addSessions,
  createSeries,
  findCandidate,
  openSeries,
  resetSeries,
  type SeriesState,
} from './series-monitor.ts';
import { FALSE_ALARM_MINUTES, MIN_HOURLY_CALLS } from './thresholds.ts';
import { endOf, toOpened } from './to-change-point.ts';
import { countTests, restoreTool, stepTool } from './tool-monitor.ts';
import { createToolMonitor, hasOpenErrors, MINUTES_PER_HOUR, type ToolMonitorState } from './tool-state.ts';
import { toUsualCalls } from './usual-rate.ts';

/** State of a server; plain data. */
export interface ServerMonitorState {
  readonly tools: Record<string, ToolMonitorState>;
  readonly failures: SeriesState;
  readonly rate: RateMonitorState;
  /** The last minute that was added, as epoch minute. */
  minute: number;
}

/** Tools followed per server; further ones are not. */
const MAX_TOOLS = 500;

export function createServerMonitor(minute: number): ServerMonitorState {
  const hour = Math.floor(minute / MINUTES_PER_HOUR);
  return { tools: {}, failures: createSeries(), rate: createRateMonitor(hour), minute: minute - 1 };
}

/**
 * Adds the next minute.
 *
 * @param tools those that were called in it
 * @returns changes that began, ended or became usual
 */
export function stepServer(
  state: ServerMonitorState,
  minute: number,
  tools: readonly ToolMinute[],
): ChangePoint[] {
  for (const { tool } of tools) addTool(state, tool, minute);
  const now = { minute, logThreshold: toLogThreshold(state) };
  const seen = new Map(tools.map((one) => [one.tool, one]));
  const changes = Object.values(state.tools).flatMap((tool) => stepTool(tool, seen.get(tool.tool), now));
  const own = [...stepServerFailures(state, now), ...stepServerRate(state, tools, now)];
  state.minute = minute;
  return [...changes, ...own];
}

/** The state without sessions: those that were seen before a restart are not recognised after it. */
export function toStoredState(state: ServerMonitorState): ServerMonitorState {
  const stored = structuredClone(state);
  stored.failures.sessions = [];
  for (const tool of Object.values(stored.tools)) {
    tool.runs = {};
    tool.last = undefined;
    for (const series of [tool.all, tool.median, tool.tail, ...Object.values(tool.codes)])
      series.sessions = [];
  }
  return stored;
}

/** Derives what is not stored, after a state was read. */
export function restoreServer(state: ServerMonitorState): void {
  for (const tool of Object.values(state.tools)) restoreTool(tool);
  restoreRate(state.rate);
}

function addTool({ tools }: ServerMonitorState, tool: string, minute: number): void {
  if (!tools[tool] && Object.keys(tools).length < MAX_TOOLS) tools[tool] = createToolMonitor(tool, minute);
}

/** All tests of a server together raise a false alarm in `FALSE_ALARM_MINUTES` on average at most. */
function toLogThreshold({ tools }: ServerMonitorState): number {
  const tests = Object.values(tools).reduce((sum, tool) => sum + countTests(tool), 4);
  return Math.log(FALSE_ALARM_MINUTES * tests);
}

interface MinuteThreshold {
  readonly minute: number;
  readonly logThreshold: number;
}

/** The failures of all tools without a change of their own, with the usual share of the tools that were called. */
function stepServerFailures(
  { tools, failures }: ServerMonitorState,
  { minute, logThreshold }: MinuteThreshold,
): ChangePoint[] {
  const parts = Object.values(tools).flatMap((tool) => {
    const { last: own, levels } = tool;
    return own?.minute === minute && levels && !hasOpenErrors(tool) ? [{ own, level: levels.all }] : [];
  });
  if (Object.values(tools).some(hasOpenErrors) && !failures.open) {
    resetSeries(failures);
    return [];
  }
  const calls = sum(parts.map(({ own }) => own.calls));
  if (calls === 0) return [];
  const all = parts.flatMap(({ own }) => own.failures);
  const share = sum(parts.map(({ own, level }) => own.calls * level.share)) / calls;
  const dispersion = sum(parts.map(({ own, level }) => own.calls * level.dispersion)) / calls;
  const level = createLevel({ share, calls: 10_000, dispersion });
  const failed = sum(all.map((one) => one.calls));
  if (failures.open) {
    const counts = { minute, calls, hits: failed, usual: calls * share };
    const odds = toOdds((failures.open.hits + 0.5) / (failures.open.calls + 1)) / toOdds(share);
    const ended = endOf(
      addOpenMinute(failures, counts, toReturnRatio(counts, level, Math.max(1.3, odds))),
      {},
    );
    if (ended.length > 0) resetSeries(failures);
    return ended;
  }
  const counts = { calls, hits: failed };
  addMinute(failures, {
    ...{ minute, ...counts, usual: counts.calls * share },
    ...{ rise: toRatios(level.rise, counts), fall: [] },
  });
  addSessions(failures, all);
  const candidate = findCandidate(failures, logThreshold);
  if (!candidate || !isWorthReporting(candidate)) return [];
  return [toOpened('errors', openSeries(failures, candidate, minute), {})];
}

function stepServerRate(
  { rate }: ServerMonitorState,
  tools: readonly ToolMinute[],
  now: MinuteThreshold,
): ChangePoint[] {
  rate.isTested =
    toUsualCalls(rate.usual, now.minute) * MINUTES_PER_HOUR >= MIN_HOURLY_CALLS ||
    rate.series.open !== undefined;
  return stepRate(rate, sum(tools.map(({ cappedCalls }) => cappedCalls)), now);
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

// Changes in the latency of a tool.

import type { ToolLevels } from './baseline.ts';
import type { ChangePoint, ToolMinute } from './change-point.ts';
import { isWorthReporting } from './is-worth-reporting.ts';
import { findCandidate, openSeries, resetSeries } from './series-monitor.ts';
import { stepSeries } from './step-series.ts';
import { endOf, toOpened } from './to-change-point.ts';
import { type MonitorMinute, settleChange, type ToolMonitorState } from './tool-state.ts';

interface LatencyMinute {
  readonly latencies: ToolMinute['latencies'];
  readonly levels: ToolLevels;
}

/** Two tests, of which mostly both find a change: half of the calls are slower, or only the slowest are. */
export function stepLatency(
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
      ...endOf(
        stepSeries(series, { minute: now.minute, calls, failures: [{ session: '', calls: slow }], level }),
        { kind: 'latency', slowFromUs },
      ),
    );
    const candidate = series.open ? undefined : findCandidate(series, now.logThreshold);
    if (candidate && isWorthReporting(candidate))
      changes.push(toOpened('latency', openSeries(series, candidate, now.minute), { slowFromUs }));
    if (series.open) resetSeries(other);
  }
  for (const { state: to, onset } of changes) settleChange(state, to, onset);
  return changes.map((change) => ({ ...change, tool: state.tool }));
}

// Adds a minute's counts to a series, whether a change of it is open or not.

import type { MinuteFailure } from './change-point.ts';
import { type Level, toOdds, toRatios, toReturnRatio } from './level.ts';
import {
  addMinute,
  addOpenMinute,
  addSessions,
  type OpenSeries,
  type SeriesEnd,
  type SeriesState,
} from './series-monitor.ts';

export interface SeriesCounts {
  readonly minute: number;
  readonly calls: number;
  readonly failures: readonly Pick<MinuteFailure, 'session' | 'calls'>[];
  readonly level: Level;
}

/** @returns the end of the open change, if it ended in that minute */
export function stepSeries(series: SeriesState, counts: SeriesCounts): SeriesEnd | undefined {
  const { minute, failures, level } = counts;
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

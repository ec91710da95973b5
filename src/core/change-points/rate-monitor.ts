// Follows the calls per minute of a tool or server against the usual ones of the hour of the week.

import type { ChangePoint } from './change-point.ts';
import {
  addMinute,
  addOpenMinute,
  createSeries,
  findCandidate,
  openSeries,
  resetSeries,
  type SeriesState,
} from './series-monitor.ts';
import { FALLING_RATES, RISING_RATES } from './thresholds.ts';
import {
  countCalls,
  createUsualRate,
  isRateKnown,
  scaleRate,
  startRateHour,
  toRateRatios,
  toRateReturnRatio,
  toUsualCalls,
  type UsualRateState,
} from './usual-rate.ts';

export interface RateMonitorState {
  readonly usual: UsualRateState;
  readonly series: SeriesState;
  /** Whether there are enough calls in this hour for a test. */
  isTested: boolean;
}

const MINUTES_PER_HOUR = 60;

export const createRateMonitor = (hour: number): RateMonitorState => ({
  usual: createUsualRate(hour),
  series: createSeries(RISING_RATES.length, FALLING_RATES.length),
  isTested: false,
});

/** Forgets evidence, because minutes are missing. */
export function restoreRate({ series }: RateMonitorState): void {
  if (!series.open) resetSeries(series);
}

/** @returns a change that began or ended, with an empty tool */
export function stepRate(
  state: RateMonitorState,
  hits: number,
  { minute, logThreshold }: { readonly minute: number; readonly logThreshold: number },
): ChangePoint[] {
  const { usual, series } = state;
  const hour = Math.floor(minute / MINUTES_PER_HOUR);
  if (hour !== usual.hour) startRateHour(usual, hour, series.open !== undefined);
  countCalls(usual, hits);
  if (!isRateKnown(usual) || !state.isTested) return [];
  const expected = toUsualCalls(usual, minute);
  const counts = { minute, calls: hits, hits, usual: expected };
  const { open } = series;
  if (open) {
    const change = (open.hits + 0.5) / (open.usual + 0.5);
    const end = addOpenMinute(series, counts, toRateReturnRatio(usual, counts, change));
    if (!end) return [];
    if (end.state === 'usual') scaleRate(usual, change);
    resetSeries(series);
    return [{ ...end.open, ...RATE_NAMES, ended: end.ended, state: end.state }];
  }
  addMinute(series, { ...counts, ...toRateRatios(usual, hits, expected) });
  const candidate = findCandidate(series, logThreshold);
  if (!candidate) return [];
  return [{ ...openSeries(series, candidate, minute), ...RATE_NAMES, ended: undefined, state: 'open' }];
}

const RATE_NAMES = { kind: 'calls', tool: '', code: '', slowFromUs: undefined } as const;

// The tests of one series, for example the failures of a tool with one code: whether it rose or fell, and while
// it is changed, whether it is as usual again.

import type { ChangeDirection } from '../model/change-point-kinds.ts';
import {
  addEvidence,
  type ChangeWindow,
  createTestState,
  isAtRest,
  reaches,
  resetTest,
  type TestState,
  toChangeWindow,
} from './sequential-test.ts';
import { END_FALSE_ALARM_MINUTES, FALLING_ODDS, MAX_OPEN_MINUTES, RISING_ODDS } from './thresholds.ts';

/** A change that was detected and has not ended. */
export interface OpenSeries {
  readonly direction: ChangeDirection;
  readonly onset: number;
  readonly detected: number;
  calls: number;
  hits: number;
  usual: number;
}

export interface SeriesState {
  readonly rise: TestState;
  readonly fall: TestState;
  readonly end: TestState;
  open: OpenSeries | undefined;
  /** At most two sessions that failed while the rise had evidence. */
  sessions: string[];
}

/** One minute of a series with the ratios of its tests. */
export interface SeriesMinute {
  readonly minute: number;
  readonly calls: number;
  readonly hits: number;
  /** Hits that are usual. */
  readonly usual: number;
  readonly rise: readonly number[];
  readonly fall: readonly number[];
}

export interface Candidate {
  readonly direction: ChangeDirection;
  readonly window: ChangeWindow;
  readonly sessions: number;
}

export function createSeries(
  rise: number = RISING_ODDS.length,
  fall: number = FALLING_ODDS.length,
): SeriesState {
  return {
    ...{ rise: createTestState(rise), fall: createTestState(fall), end: createTestState(1) },
    ...{ open: undefined, sessions: [] },
  };
}

/** Forgets all evidence, of an open change too. */
export function resetSeries(series: SeriesState): void {
  for (const test of [series.rise, series.fall, series.end]) resetTest(test);
  Object.assign(series, { open: undefined, sessions: [] });
}

/** Adds a minute to a series that is as usual. */
export function addMinute(
  series: SeriesState,
  { minute, calls, hits, usual, rise, fall }: SeriesMinute,
): void {
  addEvidence(series.rise, { minute, calls, hits, usual, ratios: rise });
  addEvidence(series.fall, { minute, calls, hits, usual, ratios: fall });
  if (series.sessions.length > 0 && isAtRest(series.rise)) series.sessions = [];
}

/** Sessions whose failures a rise consists of; more are not counted. */
const MAX_COUNTED_SESSIONS = 2;

/** Remembers that sessions failed. */
export function addSessions(
  { sessions }: SeriesState,
  failures: readonly { readonly session: string }[],
): void {
  for (const { session } of failures) {
    if (sessions.length >= MAX_COUNTED_SESSIONS) return;
    if (session !== '' && !sessions.includes(session)) sessions.push(session);
  }
}

/** A change whose statistic exceeds the threshold. */
export function findCandidate(series: SeriesState, logThreshold: number): Candidate | undefined {
  for (const direction of ['rose', 'fell'] as const) {
    const test = direction === 'rose' ? series.rise : series.fall;
    if (!reaches(test, logThreshold)) continue;
    const window = toChangeWindow(test);
    if (window) return { direction, window, sessions: series.sessions.length };
  }
  return undefined;
}

export function openSeries(
  series: SeriesState,
  { direction, window }: Candidate,
  minute: number,
): OpenSeries {
  resetSeries(series);
  const { onset, calls, hits, usual } = window;
  series.open = { direction, onset, detected: minute, calls, hits, usual };
  return series.open;
}

/** The return to normal of an open change: at which minute, and with which state. */
export interface SeriesEnd {
  readonly open: OpenSeries;
  readonly ended: number;
  readonly state: 'ended' | 'usual';
}

/**
 * Adds a minute to a changed series, which is as before the change after its end.
 *
 * @param ratio log-likelihood ratio of "as usual" against "halfway to the change"
 */
export function addOpenMinute(
  series: SeriesState,
  counts: Omit<SeriesMinute, 'rise' | 'fall'>,
  ratio: number,
): SeriesEnd | undefined {
  const { open } = series;
  if (!open) return undefined;
  addEvidence(series.end, { ...counts, ratios: [ratio] });
  const window = toChangeWindow(series.end);
  const isOver = window && reaches(series.end, Math.log(END_FALSE_ALARM_MINUTES));
  if (isOver || counts.minute - open.onset > MAX_OPEN_MINUTES) {
    resetSeries(series);
    return isOver
      ? { open, ended: Math.max(window.onset, open.onset + 1), state: 'ended' }
      : { open, ended: counts.minute, state: 'usual' };
  }
  // What may be the time after the change does not count for its size.
  if (!window) for (const part of ['calls', 'hits', 'usual'] as const) open[part] += counts[part];
  return undefined;
}

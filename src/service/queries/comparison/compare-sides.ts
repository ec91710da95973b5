// Which of two sides is better, with intervals: shares by Newcombe's, percentiles by order statistics.

import type {
  ComparedPercentile,
  ComparedShare,
  ComparisonVerdict,
  ToolComparison,
} from '../../../contract/comparison.ts';
import { toNewcombeInterval } from '../../../core/model/newcombe-interval.ts';
import { toWilsonInterval } from '../../../core/model/wilson-interval.ts';
import { toProportion } from '../query/proportion.ts';

/** Calls, or errors for recovery, of each side without which nothing is said. */
const MIN_CALLS = 20;
const MIN_TIMED_CALLS = 50;
/** Ratio of the p95 below which a difference does not matter. */
const MIN_P95_RATIO = 1.1;
const MAX_CODES = 10;

/** Levels of the percentiles of a side, around 0.95, in order. */
export const PERCENTILE_LEVELS = [
  0.8, 0.85, 0.88, 0.9, 0.915, 0.925, 0.935, 0.94, 0.945, 0.95, 0.955, 0.96, 0.965, 0.975, 0.985, 0.99, 0.995,
  1,
] as const;
const P95_AT = PERCENTILE_LEVELS.indexOf(0.95);

/** Calls of a tool on one side. */
export interface SideStats {
  readonly calls: number;
  readonly errors: number;
  /** Calls that have a latency. */
  readonly timed: number;
  /** Microseconds at `PERCENTILE_LEVELS`; null without latencies. */
  readonly percentiles: readonly (number | null)[];
  /** Failed calls by code. */
  readonly codes: ReadonlyMap<string, number>;
}

export const NO_CALLS: SideStats = {
  ...{ calls: 0, errors: 0, timed: 0, codes: new Map() },
  percentiles: PERCENTILE_LEVELS.map(() => null),
};

export interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

/** @param isBetter which direction is good */
export function compareShares(
  { before, after }: Sides<{ readonly hits: number; readonly n: number }>,
  isBetter: 'higher' | 'lower',
): ComparedShare {
  const [one, other] = [before, after].map(({ hits, n }) => toProportion(hits, n));
  const base = { before: one ?? toProportion(0, 0), after: other ?? toProportion(0, 0) };
  if (before.n === 0 || after.n === 0) return { ...base, difference: null, verdict: 'too_few' };
  const interval = toNewcombeInterval(before, after);
  const difference = { value: after.hits / after.n - before.hits / before.n, ...interval };
  return { ...base, difference, verdict: toShareVerdict() };

  function toShareVerdict(): ComparisonVerdict {
    if (Math.min(before.n, after.n) < MIN_CALLS) return 'too_few';
    if (interval.low <= 0 && interval.high >= 0) return 'no_difference';
    return interval.low > 0 === (isBetter === 'higher') ? 'better' : 'worse';
  }
}

export function comparePercentiles(sides: Sides<SideStats>): ComparedPercentile {
  const [before, after] = [toPercentile(sides.before), toPercentile(sides.after)];
  return { before, after, verdict: toPercentileVerdict(before, after) };
}

type Percentile = ComparedPercentile['before'];

function toPercentileVerdict(before: Percentile, after: Percentile): ComparisonVerdict {
  if (Math.min(before.n, after.n) < MIN_TIMED_CALLS || before.ms === null || after.ms === null)
    return 'too_few';
  const isSlower = (before.highMs ?? 0) < (after.lowMs ?? 0) && after.ms >= before.ms * MIN_P95_RATIO;
  if (isSlower) return 'worse';
  const isFaster = (after.highMs ?? 0) < (before.lowMs ?? 0) && before.ms >= after.ms * MIN_P95_RATIO;
  return isFaster ? 'better' : 'no_difference';
}

/** The bounds are at the known levels just outside of the ranks of the interval, so it is rather too wide. */
function toPercentile({ timed, percentiles }: SideStats): Percentile {
  const half = 1.96 * Math.sqrt((0.95 * 0.05) / Math.max(1, timed));
  const low = PERCENTILE_LEVELS.findLastIndex((level) => level <= 0.95 - half);
  const high = PERCENTILE_LEVELS.findIndex((level) => level >= 0.95 + half);
  const toMs = (at: number): number | null => {
    const us = percentiles[at] ?? null;
    return us === null ? null : us / 1_000;
  };
  return {
    ...{ n: timed, ms: toMs(P95_AT), lowMs: toMs(Math.max(0, low)) },
    highMs: toMs(high < 0 ? PERCENTILE_LEVELS.length - 1 : high),
  };
}

export function compareTool(tool: string, { before, after }: Sides<SideStats>): ToolComparison {
  const errorRate = compareShares(
    { before: { hits: before.errors, n: before.calls }, after: { hits: after.errors, n: after.calls } },
    'lower',
  );
  const p95 = comparePercentiles({ before, after });
  return {
    ...{ tool, errorRate, p95 },
    calls: { before: before.calls, after: after.calls },
    codes: compareCodes({ before, after }),
    verdict: joinVerdicts([errorRate.verdict, p95.verdict]),
  };
}

function compareCodes({ before, after }: Sides<SideStats>): ToolComparison['codes'] {
  const failuresOf = (code: string): number => (before.codes.get(code) ?? 0) + (after.codes.get(code) ?? 0);
  return [...new Set([...before.codes.keys(), ...after.codes.keys()])]
    .sort((one, other) => failuresOf(other) - failuresOf(one) || (one < other ? -1 : 1))
    .slice(0, MAX_CODES)
    .map((code) => {
      const toCount = ({ codes, calls }: SideStats) => ({ hits: codes.get(code) ?? 0, n: calls });
      return { code, ...compareShares({ before: toCount(before), after: toCount(after) }, 'lower') };
    });
}

/** Events per call, by their split between the sides: it is that of the calls if nothing changed. */
export function compareEvents(events: Sides<number>, calls: Sides<number>): ComparisonVerdict {
  if (Math.min(calls.before, calls.after) < MIN_CALLS) return 'too_few';
  const all = events.before + events.after;
  if (all === 0) return 'no_difference';
  const expected = calls.after / (calls.before + calls.after);
  const { low, high } = toWilsonInterval(events.after, all);
  if (low > expected) return 'worse';
  return high < expected ? 'better' : 'no_difference';
}

/** `worse` if anything is, then `better`; `too_few` only if nothing else can be said. */
export function joinVerdicts(verdicts: readonly ComparisonVerdict[]): ComparisonVerdict {
  return (['worse', 'better', 'no_difference'] as const).find((one) => verdicts.includes(one)) ?? 'too_few';
}

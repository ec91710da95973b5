// Detects the same few calls in the same order, each with the answer of the previous lap.

import { isNearlyEqual } from '../../model/compare-answers.ts';
import { isGrowing, type LoopRule, type RuleResult, samenessOf } from '../loop-rule.ts';
import { isPeriodicCycle, isSleep } from '../polling.ts';
import type { LoopThresholds } from '../thresholds.ts';
import type { WindowCall } from '../window-call.ts';

/** Longest cycle of pages that differ a little each time, for example by a count of views. */
const MAX_DRIFT_PERIOD = 3;
/** Additional rounds required for such pages. */
const EXTRA_DRIFT_LAPS = 2;

export const detectCycle: LoopRule = (seen, thresholds): RuleResult | undefined => {
  let best: RuleResult | undefined;
  for (let period = 2; period <= thresholds.longestPeriod; period++) {
    // Two rounds of three are one round of six: the shortest period counts.
    if (best !== undefined && period % best.period === 0) continue;
    const reading = detectPeriod(seen, period, thresholds);
    if (reading !== undefined && (best === undefined || isStronger(reading, best))) best = reading;
  }
  return best;
};

function isStronger(reading: RuleResult, best: RuleResult): boolean {
  return reading.count - reading.suspectedAt > best.count - best.suspectedAt;
}

function detectPeriod(
  seen: readonly WindowCall[],
  period: number,
  thresholds: LoopThresholds,
): RuleResult | undefined {
  const length = cycleLength(seen, period, thresholds);
  const laps = Math.floor(length / period);
  if (laps < 2) return undefined;
  const calls = seen.slice(-laps * period);
  const lap = calls.slice(-period);
  if (lap.every(({ intent, answer }) => intent === lap[0]?.intent && answer === lap[0]?.answer))
    return undefined;
  const sameness = samenessOf(calls, period);
  if (
    sameness === 'noisy' &&
    lap.some((_, place) => isGrowing(calls.filter((__, at) => at % period === place)))
  )
    return undefined;
  const need = requiredLaps(lap, { sameness, calls, thresholds });
  if (need === Number.POSITIVE_INFINITY) return undefined;
  return {
    kind: 'cycle',
    count: laps,
    suspectedAt: need,
    confirmedAt: need + 1,
    period,
    calls,
    wasted: calls.slice(period),
    sameness,
  };
}

interface LapContext {
  readonly sameness: RuleResult['sameness'];
  readonly calls: readonly WindowCall[];
  readonly thresholds: LoopThresholds;
}

function requiredLaps(lap: readonly WindowCall[], { sameness, calls, thresholds }: LapContext): number {
  const pending = lap.filter(({ answer }) => answer.trait === 'pending').length;
  if (lap.some((call) => isSleep(call, thresholds)) || pending * 2 >= lap.length) return thresholds.polls;
  if (isPeriodicCycle(calls, lap.length)) return thresholds.polls;
  if (calls.some((call, at) => at >= lap.length && call.answer !== calls[at - lap.length]?.answer)) {
    // Only pages of one tool: two tools may show two views of something that changes.
    const distinctIntents = new Set(lap.map(({ intent }) => intent)).size;
    const sameTool = lap.every(({ tool }) => tool === lap[0]?.tool);
    return sameTool && distinctIntents > 1
      ? thresholds.weakLaps + EXTRA_DRIFT_LAPS
      : Number.POSITIVE_INFINITY;
  }
  const silent = lap.every(({ answer }) => answer.acknowledgement);
  return (silent && lap.length < MIN_LONG_LAP_CALLS) || sameness === 'noisy'
    ? thresholds.weakLaps
    : thresholds.laps;
}

/** This many different calls in one order do not repeat by chance, whatever the answers. */
const MIN_LONG_LAP_CALLS = 6;

/** How many of the newest calls equal the call one period before, including the first period. */
function cycleLength(seen: readonly WindowCall[], period: number, thresholds: LoopThresholds): number {
  let length = period;
  for (let at = seen.length - 1; at >= period; at--) {
    const call = seen[at];
    const before = seen[at - period];
    if (call === undefined || call.intent === 0 || call.intent !== before?.intent) break;
    if (call.answer !== before.answer && !(period <= MAX_DRIFT_PERIOD && isDrift(call, before, thresholds)))
      break;
    length++;
  }
  return length;
}

function isDrift(call: WindowCall, before: WindowCall, thresholds: LoopThresholds): boolean {
  const { answer } = call;
  if (answer.failure || before.answer.failure || answer.trait === 'pending') return false;
  return isNearlyEqual(answer, before.answer, thresholds);
}

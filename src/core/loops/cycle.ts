// The same few calls in the same order, each with the answer it had the lap before.

import { isNear } from './answer.ts';
import { isWait, isWatch } from './polling.ts';
import { isGrowing, type Reading, type Rule, samenessOf } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Pages that differ a little each time: an advertisement, a count of views. Long ones only, and few of them. */
const LONGEST_DRIFT = 3;
/** Rounds more than without drift: of so many, chance would have left some unlike. */
const DRIFT_LAPS = 2;

export const readCycle: Rule = (seen, thresholds): Reading | undefined => {
  let best: Reading | undefined;
  for (let period = 2; period <= thresholds.longestPeriod; period++) {
    // Two rounds of three are one round of six: only the shortest period says what goes round.
    if (best !== undefined && period % best.period === 0) continue;
    const reading = readPeriod(seen, period, thresholds);
    if (reading !== undefined && (best === undefined || isStronger(reading, best))) best = reading;
  }
  return best;
};

function isStronger(reading: Reading, best: Reading): boolean {
  return reading.count - reading.need > best.count - best.need;
}

function readPeriod(
  seen: readonly SeenCall[],
  period: number,
  thresholds: LoopThresholds,
): Reading | undefined {
  const length = lengthOfCycle(seen, period, thresholds);
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
  const need = lapsNeeded(lap, { sameness, calls, thresholds });
  if (need === Number.POSITIVE_INFINITY) return undefined;
  return {
    kind: 'cycle',
    count: laps,
    need,
    sure: need + 1,
    period,
    calls,
    wasted: calls.slice(period),
    sameness,
  };
}

interface Laps {
  readonly sameness: Reading['sameness'];
  readonly calls: readonly SeenCall[];
  readonly thresholds: LoopThresholds;
}

function lapsNeeded(lap: readonly SeenCall[], { sameness, calls, thresholds }: Laps): number {
  const pending = lap.filter(({ answer }) => answer.trait === 'pending').length;
  if (lap.some((call) => isWait(call, thresholds)) || pending * 2 >= lap.length) return thresholds.polls;
  if (isWatch(calls, lap.length)) return thresholds.polls;
  if (calls.some((call, at) => at >= lap.length && call.answer !== calls[at - lap.length]?.answer)) {
    // Two pages of one tool; two tools may be two views of something that moves.
    const places = new Set(lap.map(({ intent }) => intent)).size;
    const sameTool = lap.every(({ tool }) => tool === lap[0]?.tool);
    return sameTool && places > 1 ? thresholds.weakLaps + DRIFT_LAPS : Number.POSITIVE_INFINITY;
  }
  const silent = lap.every(({ answer }) => answer.acknowledgement);
  return (silent && lap.length < LONG_LAP) || sameness === 'noisy' ? thresholds.weakLaps : thresholds.laps;
}

/** So many different calls in one order, three times over, are no chance, whatever they say. */
const LONG_LAP = 6;

/** How many of the newest calls equal the call a period before, that first period included. */
function lengthOfCycle(seen: readonly SeenCall[], period: number, thresholds: LoopThresholds): number {
  let length = period;
  for (let at = seen.length - 1; at >= period; at--) {
    const call = seen[at];
    const before = seen[at - period];
    if (call === undefined || call.intent === 0 || call.intent !== before?.intent) break;
    if (call.answer !== before.answer && !(period <= LONGEST_DRIFT && drifts(call, before, thresholds)))
      break;
    length++;
  }
  return length;
}

function drifts(call: SeenCall, before: SeenCall, { noiseBytes, noiseBits }: LoopThresholds): boolean {
  const { answer } = call;
  if (answer.failure || before.answer.failure || answer.trait === 'pending') return false;
  return isNear(answer, before.answer, noiseBytes, noiseBits);
}

// The same few calls in the same order, each with the answer it had the lap before.

import { isWait } from './polling.ts';
import { isGrowing, type Reading, type Rule, samenessOf } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

export const readCycle: Rule = (seen, thresholds): Reading | undefined => {
  let best: Reading | undefined;
  for (let period = 2; period <= thresholds.longestPeriod; period++) {
    // Two rounds of three are one round of six: only the shortest period says what goes round.
    if (best !== undefined && period % best.period === 0) continue;
    const reading = readPeriod(seen, period, thresholds);
    if (reading !== undefined && (best === undefined || reading.count > best.count)) best = reading;
  }
  return best;
};

function readPeriod(
  seen: readonly SeenCall[],
  period: number,
  thresholds: LoopThresholds,
): Reading | undefined {
  const length = lengthOfCycle(seen, period);
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
  const need = lapsNeeded(lap, sameness, thresholds);
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

function lapsNeeded(
  lap: readonly SeenCall[],
  sameness: Reading['sameness'],
  thresholds: LoopThresholds,
): number {
  if (lap.some((call) => isWait(call, thresholds))) return thresholds.polls;
  const silent = lap.every(({ answer }) => answer.acknowledgement);
  return silent || sameness === 'noisy' ? thresholds.weakLaps : thresholds.laps;
}

/** How many of the newest calls equal the call a period before, that first period included. */
function lengthOfCycle(seen: readonly SeenCall[], period: number): number {
  let length = period;
  for (let at = seen.length - 1; at >= period; at--) {
    const call = seen[at];
    const before = seen[at - period];
    if (
      call === undefined ||
      call.intent === 0 ||
      call.intent !== before?.intent ||
      call.answer !== before.answer
    )
      break;
    length++;
  }
  return length;
}

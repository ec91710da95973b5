// Whether a run of equal calls waits for something. Known by its rhythm alone: a person's or a program's pause is even or
// grows, a thinking agent's is neither. Names are no evidence, because
// anybody may call anything `status`; a tool that says it changes things is no way to wait.

import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Pauses may stray this far, as standard deviation by mean; programs with jitter do by 0.06, agents by 0.3 to 0.6. */
const EVEN = 0.12;
/** Each pause is longer than the one before by this factor at least. */
const BACK_OFF = 1.1;
const FEWEST_PAUSES = 3;

export function isPolling(run: readonly SeenCall[], thresholds: LoopThresholds): boolean {
  const last = run.at(-1);
  if (last === undefined || last.answer.failed || last.changes || run.length <= FEWEST_PAUSES) return false;
  const pauses = run.slice(1).map((call, at) => call.startedAtUs - (run[at]?.endedAtUs ?? 0));
  if (run.some(({ startedAtUs }) => startedAtUs === 0)) return false;
  const mean = pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
  if (mean < thresholds.pollPauseMs * 1000) return false;
  return isEven(pauses, mean) || isBackingOff(pauses);
}

function isEven(pauses: readonly number[], mean: number): boolean {
  const variance = pauses.reduce((sum, pause) => sum + (pause - mean) ** 2, 0) / pauses.length;
  return Math.sqrt(variance) <= EVEN * mean;
}

function isBackingOff(pauses: readonly number[]): boolean {
  return pauses.every((pause, at) => at === 0 || pause >= BACK_OFF * (pauses[at - 1] ?? 0));
}

/** A call that took long and said nothing: somebody slept on purpose. */
export function isWait(call: SeenCall, { acknowledgementBytes, pollPauseMs }: LoopThresholds): boolean {
  const silent = !call.answer.failed && call.bytes <= acknowledgementBytes;
  return silent && call.durationUs >= pollPauseMs * 1000;
}

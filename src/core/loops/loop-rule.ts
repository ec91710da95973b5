// The result of one rule at one call: its count and the thresholds. It is a finding once the count reaches
// its threshold; below that it is a near miss.

import { type AnswerSameness, weakerComparison } from '../model/compare-answers.ts';
import type { LoopKind } from '../model/loop-kinds.ts';
import type { SecondaryArguments } from './call-identity.ts';
import type { LoopThresholds } from './thresholds.ts';
import type { WindowCall } from './window-call.ts';

export interface RuleResult {
  readonly kind: LoopKind;
  readonly count: number;
  readonly suspectedAt: number;
  /** From this count on the finding is confirmed. */
  readonly confirmedAt: number;
  readonly period: number;
  /** Calls that count, oldest first. */
  readonly calls: readonly WindowCall[];
  /** Those of them that returned nothing new. */
  readonly wasted: readonly WindowCall[];
  readonly sameness: AnswerSameness;
  readonly withoutFingerprints?: true;
}

/** Examines the window, which ends with the newest call. */
export type LoopRule = (seen: readonly WindowCall[], thresholds: LoopThresholds) => RuleResult | undefined;

/** Concurrent calls are one step: the second was made before the first was answered. */
export function countSteps(calls: readonly WindowCall[]): number {
  let steps = 0;
  for (let at = 0; at < calls.length; at++) if (calls[at]?.step !== calls[at - 1]?.step) steps++;
  return steps;
}

/** How answers equal those one period earlier; the weakest sameness counts. */
export function samenessOf(calls: readonly WindowCall[], period = 1): AnswerSameness {
  return calls.slice(period).reduce<AnswerSameness>((weakest, call, at) => {
    const before = calls[at];
    return before === undefined ? weakest : weakerComparison(weakest, samenessOfPair(call, before));
  }, 'equal');
}

/** Two answers that were found to be the same. */
function samenessOfPair(call: WindowCall, before: WindowCall): AnswerSameness {
  if (call.maskedHash === 0 || call.maskedHash !== before.maskedHash)
    return call.answer.failure ? 'failure' : 'noisy';
  return call.exactHash === before.exactHash ? 'equal' : 'masked';
}

/** Growth from first to last answer; noise changes a length by less, or in both directions. */
const MIN_GROWTH_FACTOR = 1.02;

/** An answer that only grows is a log or a page that is filling up. */
export function isGrowing(calls: readonly WindowCall[]): boolean {
  if ((calls.at(-1)?.resultBytes ?? 0) < MIN_GROWTH_FACTOR * (calls[0]?.resultBytes ?? 0)) return false;
  return calls.every((call, at) => at === 0 || call.resultBytes > (calls[at - 1]?.resultBytes ?? 0));
}

/** The newest matching calls, back to the first that does not match; oldest first. */
export function takeTrailingRun(
  seen: readonly WindowCall[],
  fits: (call: WindowCall) => boolean,
): readonly WindowCall[] {
  let from = seen.length;
  while (from > 0) {
    const call = seen[from - 1];
    if (call === undefined || !fits(call)) break;
    from--;
  }
  return seen.slice(from);
}

/** Names of ignored arguments that differ between calls one period apart. */
export function changedSecondaryArguments(calls: readonly WindowCall[], period = 1): readonly string[] {
  const names = new Set<string>();
  for (let at = period; at < calls.length; at++)
    for (const name of changedNames(calls[at]?.secondaryArguments, calls[at - period]?.secondaryArguments))
      names.add(name);
  return [...names];
}

function changedNames(after: SecondaryArguments = [], before: SecondaryArguments = []): readonly string[] {
  return [...namesNotIn(after, before), ...namesNotIn(before, after)];
}

/** Names in one list that the other lacks or has with another value. */
function namesNotIn(list: SecondaryArguments, other: SecondaryArguments): readonly string[] {
  return list.filter((name, at): name is string => {
    if (typeof name !== 'string') return false;
    const position = other.indexOf(name);
    return position < 0 || other[position + 1] !== list[at + 1];
  });
}

/** Whether every call has exactly the arguments of the call a period before. */
export function hasEqualArguments(calls: readonly WindowCall[], period = 1): boolean {
  return calls.every((call, at) => at < period || call.request === calls[at - period]?.request);
}

// What one rule sees at one call: how far it has come, of how far it must. It is a finding once `count` reaches `need`;
// below, it is what "not flagged, because" is made of.

import type { SecondaryArguments } from './call-identity.ts';
import type { LoopKind, Sameness } from './finding.ts';
import type { LoopThresholds } from './thresholds.ts';
import type { WindowCall } from './window-call.ts';

export interface RuleResult {
  readonly kind: LoopKind;
  readonly count: number;
  readonly suspectedAt: number;
  /** From this count on there is no doubt left. */
  readonly confirmedAt: number;
  readonly period: number;
  /** Calls that count, oldest first. */
  readonly calls: readonly WindowCall[];
  /** How many of them brought nothing any more. */
  readonly wasted: readonly WindowCall[];
  readonly sameness: Sameness;
  readonly withoutFingerprints?: true;
}

/** Looks at the window as its newest call has left it. */
export type LoopRule = (seen: readonly WindowCall[], thresholds: LoopThresholds) => RuleResult | undefined;

/** Calls made side by side are one step: nobody had read the first answer when the second call was made. */
export function countSteps(calls: readonly WindowCall[]): number {
  let steps = 0;
  for (let at = 0; at < calls.length; at++) if (calls[at]?.step !== calls[at - 1]?.step) steps++;
  return steps;
}

/** How each answer is the same as the one a period before: the least of it speaks for all. */
export function samenessOf(calls: readonly WindowCall[], period = 1): Sameness {
  let sameness: Sameness = 'equal';
  for (let at = period; at < calls.length; at++) {
    const [call, before] = [calls[at], calls[at - period]];
    if (call === undefined || before === undefined || call.exactHash === before.exactHash) continue;
    if (call.maskedHash === before.maskedHash) {
      if (sameness === 'equal') sameness = 'masked';
    } else if (call.answer.failure) sameness = 'failure';
    else return 'noisy';
  }
  return sameness;
}

/** From first to last; noise moves a length by less, or up and down. */
const MIN_GROWTH_FACTOR = 1.02;

/** An answer that only ever gets longer is a log or a page that fills. */
export function isGrowing(calls: readonly WindowCall[]): boolean {
  if ((calls.at(-1)?.resultBytes ?? 0) < MIN_GROWTH_FACTOR * (calls[0]?.resultBytes ?? 0)) return false;
  return calls.every((call, at) => at === 0 || call.resultBytes > (calls[at - 1]?.resultBytes ?? 0));
}

/** The newest calls, back to the first that does not fit; oldest first. */
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

/** Names of arguments that were left out of the comparison and that differ between calls a period apart. */
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

/** Names of one list that the other has not, or with another value. */
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

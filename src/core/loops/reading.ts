// What one rule sees at one call: how far it has come, of how far it must. It is a finding once `count` reaches `need`;
// below, it is what "not flagged, because" is made of.

import type { LoopKind } from './finding.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

export interface Reading {
  readonly kind: LoopKind;
  readonly count: number;
  readonly need: number;
  /** From this count on there is no doubt left. */
  readonly sure: number;
  readonly period: number;
  /** Calls that count, oldest first. */
  readonly calls: readonly SeenCall[];
  /** How many of them brought nothing any more. */
  readonly wasted: readonly SeenCall[];
  readonly sameness: 'equal' | 'noisy' | 'failure';
  readonly withoutFingerprints?: true;
}

/** Looks at the window as its newest call has left it. */
export type Rule = (seen: readonly SeenCall[], thresholds: LoopThresholds) => Reading | undefined;

/** Calls made side by side are one step: nobody had read the first answer when the second call was made. */
export function countSteps(calls: readonly SeenCall[]): number {
  let steps = 0;
  for (let at = 0; at < calls.length; at++) if (calls[at]?.step !== calls[at - 1]?.step) steps++;
  return steps;
}

/** How each answer is the same as the one a period before. */
export function samenessOf(calls: readonly SeenCall[], period = 1): Reading['sameness'] {
  let failure = false;
  for (let at = period; at < calls.length; at++) {
    const call = calls[at];
    if (call === undefined || call.masked === calls[at - period]?.masked) continue;
    if (!call.answer.failed) return 'noisy';
    failure = true;
  }
  return failure ? 'failure' : 'equal';
}

/** From first to last; noise moves a length by less, or up and down. */
const GROWTH = 1.02;

/** An answer that only ever gets longer is a log or a page that fills. */
export function isGrowing(calls: readonly SeenCall[]): boolean {
  if ((calls.at(-1)?.bytes ?? 0) < GROWTH * (calls[0]?.bytes ?? 0)) return false;
  return calls.every((call, at) => at === 0 || call.bytes > (calls[at - 1]?.bytes ?? 0));
}

/** The newest calls, back to the first that does not fit; oldest first. */
export function takeRun(seen: readonly SeenCall[], fits: (call: SeenCall) => boolean): readonly SeenCall[] {
  let from = seen.length;
  while (from > 0) {
    const call = seen[from - 1];
    if (call === undefined || !fits(call)) break;
    from--;
  }
  return seen.slice(from);
}

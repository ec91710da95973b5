// The rules behind the verdict, in the order in which they are tried: the first that holds wins. The service judges; this
// tells its rules with the figures that they were tried on, so that a reader can check the word.
import type { SummaryAnswer } from '../../../../src/contract/answers.ts';
import { formatCount, formatNoun, formatRate } from '../../format/format-number.ts';

type Verdict = SummaryAnswer['verdict'];

export interface ToldRule {
  readonly verdict: Verdict;
  readonly word: string;
  readonly rule: string;
  /** What the figures say to it. */
  readonly found: string;
  readonly isChosen: boolean;
}

export const ENOUGH_CALLS = 20;
export const FAILING_FROM = 0.2;
export const DEGRADED_FROM = 0.05;

export interface VerdictFigures {
  readonly calls: number;
  readonly errors: number;
  readonly hasEvents: boolean;
  /** Undefined while it is not known. */
  readonly activeLoops: number | undefined;
  /** What was found in the last ten minutes, where that is the verdict. */
  readonly now?: string | undefined;
}

/** @param verdict the service's own, which is marked whatever the figures say */
export function prepareVerdictRule(verdict: Verdict, figures: VerdictFigures): ToldRule[] {
  const { calls, errors, hasEvents, activeLoops, now } = figures;
  const rate =
    calls === 0
      ? 'no calls'
      : `${formatRate(errors / calls)}, ${formatCount(errors)} of ${formatCount(calls)}`;
  const loops = activeLoops === undefined ? 'not known' : `${formatNoun(activeLoops, 'agent')} now`;
  const rules: readonly (readonly [Verdict, string, string, string])[] = [
    ['no_data', 'No data', 'nothing was ever received', hasEvents ? 'something was' : 'nothing was'],
    ['quiet', 'Quiet', 'no tool call in the range', formatNoun(calls, 'call')],
    ['not_enough_data', 'Not enough data', `fewer than ${ENOUGH_CALLS} calls`, formatNoun(calls, 'call')],
    ['failing', 'Failing', `${formatRate(FAILING_FROM)} of calls fail, or more`, rate],
    ['degraded', 'Degraded', `${formatRate(DEGRADED_FROM)} of calls fail, or more`, rate],
    ['looping', 'Looping', 'an agent is looping now', loops],
    ['healthy', 'Healthy', 'none of these', rate],
  ];
  return rules.map(([own, word, rule, found]) => ({
    verdict: own,
    word,
    rule,
    found: own === verdict && now !== undefined ? now : found,
    isChosen: own === verdict,
  }));
}

// The rules behind the verdict, in evaluation order: the first that holds wins. The service determines the
// verdict; this lists its rules with the values they were evaluated on, so that readers can verify it.
import type { SummaryResponse } from '../../../../src/contract/summary.ts';
import { formatCount, formatPlural, formatRate } from '../../format/format-number.ts';

type Verdict = SummaryResponse['verdict'];

export interface VerdictRuleRow {
  readonly verdict: Verdict;
  readonly word: string;
  readonly rule: string;
  /** The observed values. */
  readonly observed: string;
  readonly isChosen: boolean;
}

export const MIN_VERDICT_CALLS = 20;
export const MIN_FAILING_RATE = 0.2;
export const MIN_DEGRADED_RATE = 0.05;

export interface VerdictStats {
  readonly calls: number;
  readonly errors: number;
  readonly hasEvents: boolean;
  /** Undefined while unknown. */
  readonly activeLoops: number | undefined;
  /** The finding of the last ten minutes, if it is the verdict. */
  readonly now?: string | undefined;
}

/** @param verdict of the service, which is marked whatever the values are */
export function prepareVerdictRules(verdict: Verdict, stats: VerdictStats): VerdictRuleRow[] {
  const { calls, errors, hasEvents, activeLoops, now } = stats;
  const rate =
    calls === 0
      ? 'no calls'
      : `${formatRate(errors / calls)}, ${formatCount(errors)} of ${formatCount(calls)}`;
  const loops = activeLoops === undefined ? 'unknown' : `${formatPlural(activeLoops, 'agent')} now`;
  const rules: readonly (readonly [Verdict, string, string, string])[] = [
    ['no_data', 'No data', 'no data received yet', hasEvents ? 'data received' : 'no data'],
    ['quiet', 'Quiet', 'no tool calls in the range', formatPlural(calls, 'call')],
    [
      'not_enough_data',
      'Not enough data',
      `fewer than ${MIN_VERDICT_CALLS} calls`,
      formatPlural(calls, 'call'),
    ],
    ['failing', 'Failing', `error rate ≥ ${formatRate(MIN_FAILING_RATE)}`, rate],
    ['degraded', 'Degraded', `error rate ≥ ${formatRate(MIN_DEGRADED_RATE)}`, rate],
    ['looping', 'Looping', 'an agent is looping now', loops],
    ['healthy', 'Healthy', 'none of the above', rate],
  ];
  return rules.map(([own, word, rule, observed]) => ({
    verdict: own,
    word,
    rule,
    observed: own === verdict && now !== undefined ? now : observed,
    isChosen: own === verdict,
  }));
}

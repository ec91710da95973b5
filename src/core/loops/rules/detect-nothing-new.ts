// Detects calls among which nearly nothing was new, in any order. A revisit is an earlier request with the same answer or
// error. Three measures: most of a short stretch, a third of a long one with exactly the same answers, and repeated
// requests that had found nothing.

import { type LoopRule, type RuleResult, takeTrailingRun } from '../loop-rule.ts';
import { isPolling } from '../polling.ts';
import type { LoopThresholds } from '../thresholds.ts';
import type { WindowCall } from '../window-call.ts';

/** Fewer are a repeat or a check without effect, which have their own thresholds. */
const MIN_REVISITED_REQUESTS = 3;
/** Over a whole session it is normal to read a few things again. */
const MIN_REREAD_REQUESTS = 4;

export const detectNothingNew: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || (newest.visitsBefore === 0 && newest.revisits === 0)) return undefined;
  const run = takeTrailingRun(
    seen,
    ({ intent, answer }) => intent === newest.intent && answer === newest.answer,
  );
  if (isPolling(run, thresholds)) return undefined;
  const readings = [
    detectRevisits(seen, thresholds),
    toRuleResult(seen.filter(isReread), { need: thresholds.rereads, minRequests: MIN_REREAD_REQUESTS }),
    toRuleResult(seen.filter(isRepeatedEmpty), {
      need: thresholds.emptyAgain,
      minRequests: MIN_REREAD_REQUESTS,
    }),
  ].filter((reading) => reading !== undefined);
  return readings.reduce<RuleResult | undefined>(
    (best, one) =>
      best === undefined || one.count / one.suspectedAt > best.count / best.suspectedAt ? one : best,
    undefined,
  );
};

function detectRevisits(seen: readonly WindowCall[], thresholds: LoopThresholds): RuleResult | undefined {
  const { revisits, revisitsAmong } = thresholds;
  if (seen.length < revisitsAmong) return undefined;
  const calls = seen.slice(-revisitsAmong).filter(isRevisit);
  return toRuleResult(calls, { need: revisits, minRequests: MIN_REVISITED_REQUESTS, sure: revisitsAmong });
}

function toRuleResult(
  calls: readonly WindowCall[],
  {
    need,
    minRequests,
    sure = need * 2,
  }: { readonly need: number; readonly minRequests: number; readonly sure?: number },
): RuleResult | undefined {
  if (calls.length < minRequests || new Set(calls.map(({ intent }) => intent)).size < minRequests)
    return undefined;
  return {
    kind: 'nothing_new',
    count: calls.length,
    suspectedAt: need,
    confirmedAt: sure,
    period: 1,
    calls,
    wasted: calls,
    sameness: 'equal',
  };
}

/** At least the third visit with the same answer. */
function isRevisit({ intent, answer, visitsBefore }: WindowCall): boolean {
  return visitsBefore >= 2 && intent !== 0 && !answer.acknowledgement;
}

/** The same over the whole session, and exactly. */
function isReread({ answer, revisits }: WindowCall): boolean {
  return revisits >= 2 && !answer.acknowledgement && answer.trait !== 'pending';
}

/** Found nothing before either. */
function isRepeatedEmpty({ answer, revisits }: WindowCall): boolean {
  return revisits >= 1 && answer.trait === 'empty';
}

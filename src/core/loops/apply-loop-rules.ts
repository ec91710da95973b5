// Combines the rule results for one call into one severity. One loop is one finding: of several rules that
// match the same calls, the first in this order, which is the most specific one, reports it.

import type { LoopSeverity } from '../model/loop-record.ts';
import type { Verdict } from './finding.ts';
import { LOOP_KIND_RULES } from './loop-kinds.ts';
import type { RuleResult } from './loop-rule.ts';
import type { LoopThresholds } from './thresholds.ts';
import type { WindowCall } from './window-call.ts';

const LOOP_RULES = Object.values(LOOP_KIND_RULES).map(({ detect }) => detect);

/** Applies every rule at the newest call. */
export function applyLoopRules(
  seen: readonly WindowCall[],
  thresholds: LoopThresholds,
): readonly RuleResult[] {
  const results: RuleResult[] = [];
  for (const rule of LOOP_RULES) {
    const result = rule(seen, thresholds);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/** One short of its threshold is a note, from the first repetition on: the next call decides. */
export function severityOf({ count, suspectedAt, confirmedAt }: RuleResult): Verdict {
  if (count >= confirmedAt) return 'confirmed';
  if (count >= suspectedAt) return 'suspected';
  return count >= Math.max(2, suspectedAt - 1) ? 'note' : 'none';
}

const VERDICT_RANK: Readonly<Record<Verdict, number>> = { none: 0, note: 1, suspected: 2, confirmed: 3 };

export function worseVerdict<T extends Verdict>(a: T, b: T): T {
  return VERDICT_RANK[a] >= VERDICT_RANK[b] ? a : b;
}

/** The decisive result: the worst severity, and the first rule among equals. */
export function strongestResult(
  results: readonly RuleResult[],
): { result: RuleResult; severity: LoopSeverity } | undefined {
  let best: { result: RuleResult; severity: LoopSeverity } | undefined;
  for (const result of results) {
    const severity = severityOf(result);
    if (severity === 'none') continue;
    if (best === undefined || VERDICT_RANK[severity] > VERDICT_RANK[best.severity])
      best = { result, severity };
  }
  return best;
}

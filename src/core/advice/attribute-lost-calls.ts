// Calls lost, each told once. Rules look at the same failures from several sides: a refusal over a bound is an error without a
// code too. Each rule counts what it sees; what the more exact ones explained is no longer free for the vaguer ones.

import type { Finding } from './finding.ts';
import { collectToolErrors } from './tool-errors.ts';
import type { ToolEvidence } from './tool-evidence.ts';

/** Rules whose lost calls are failures, most exact first. Duplicates, partial failures and late calls are calls of their own. */
const FAILURE_RULES = ['TD012', 'TD013', 'TD009', 'TD025', 'TD029', 'TD023', 'TD007', 'TD017', 'TD016'];
/** Those of them that count what agents did not recover from. */
const UNRECOVERED_RULES: readonly string[] = ['TD017', 'TD016'];

/**
 * The findings of one tool, so that what they lost together is no more than what failed.
 * @param findings all that were shown by traffic, in any order
 */
export function attributeLostCalls(findings: readonly Finding[], evidence: ToolEvidence): Finding[] {
  const { calls, recovered } = collectToolErrors(evidence);
  const { errors, results } = evidence;
  // What one rule saw alone did happen, however little is known of the rest.
  let remaining = Math.max(errors + results.errorInResult, maxCallsLost(findings, FAILURE_RULES));
  let unrecovered = Math.max(calls - recovered, maxCallsLost(findings, UNRECOVERED_RULES));
  const lost = new Map<Finding, number>();
  for (const rule of FAILURE_RULES) {
    const isVague = UNRECOVERED_RULES.includes(rule);
    for (const finding of findings.filter((one) => one.rule === rule)) {
      const attributed = Math.min(finding.callsLost, remaining, ...(isVague ? [unrecovered] : []));
      lost.set(finding, attributed);
      remaining -= attributed;
      if (isVague) unrecovered -= attributed;
    }
  }
  return findings.map((finding) => ({ ...finding, callsLost: lost.get(finding) ?? finding.callsLost }));
}

function maxCallsLost(findings: readonly Finding[], rules: readonly string[]): number {
  return Math.max(
    0,
    ...findings.filter(({ rule }) => rules.includes(rule)).map(({ callsLost }) => callsLost),
  );
}

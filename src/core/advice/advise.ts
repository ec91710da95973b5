// All advice for one server: what the definitions show, and what traffic adds to it. Where traffic proves what the
// definitions only suggest, the suggestion is left out.

import type { ToolDefinition } from '../model/catalogue.ts';
import type { Finding } from './finding.ts';
import { compareFindings, lintTools } from './lint-tools.ts';
import { toFinding } from './rule.ts';
import { TRAFFIC_RULES } from './rule-table.ts';
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

/**
 * Every finding for a server.
 * @param tools its newest listing; empty when the catalogue is unknown, and then only traffic speaks
 * @param evidence one entry per tool name that was called or listed
 * @returns most calls lost first, then by level, rule and tool
 */
export function advise(tools: readonly ToolDefinition[], evidence: readonly ToolEvidence[]): Finding[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const confirmed = evidence.flatMap((one) =>
    attributeLostCalls(
      TRAFFIC_RULES.flatMap((rule) =>
        rule
          .check({ evidence: one, definition: byName.get(one.tool), tools })
          .map((found) => toFinding(rule, 'traffic', found)),
      ),
      one,
    ),
  );
  const suspected = lintTools(tools).filter(
    (finding) => !confirmed.some((other) => confirms(other, finding)),
  );
  return [...confirmed, ...suspected].sort(compareFindings);
}

/** The same from one evaluation to the next: what a dismissal is kept under. */
export function findingKey({ rule, tool, argument, evidence }: Finding): string {
  const subjects = evidence.names[DISTINGUISHING_NAMES[rule] ?? ''] ?? [];
  return [rule, tool, argument, ...[...subjects].sort()].join('/');
}

/** Rules that may find two things at one place, and the names in their evidence that tell these apart. */
const DISTINGUISHING_NAMES: Readonly<Record<string, string>> = {
  TD006: 'tools',
  TD007: 'tools',
  TD026: 'schema',
};

const CONFIRMED_BY = new Map(TRAFFIC_RULES.map(({ id, confirms: other }) => [id, other]));

function confirms(shown: Finding, suspected: Finding): boolean {
  if (CONFIRMED_BY.get(shown.rule) !== suspected.rule) return false;
  if (DISTINGUISHING_NAMES[shown.rule] !== 'tools')
    return shown.tool === suspected.tool && shown.argument === suspected.argument;
  const pair = suspected.evidence.names['tools'] ?? [];
  return (shown.evidence.names['tools'] ?? []).every((tool) => pair.includes(tool));
}

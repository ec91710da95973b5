// All advice for one server. A suspicion from the definitions is left out if traffic confirms it.

import type { ToolDefinition } from '../model/catalogue.ts';
import type { Finding } from './finding.ts';
import { compareFindings, lintTools } from './lint-tools.ts';
import { toFinding } from './rule.ts';
import { TRAFFIC_RULES } from './rule-table.ts';
import { collectToolErrors } from './tool-errors.ts';
import type { ToolEvidence } from './tool-evidence.ts';

/** Rules whose lost calls are failures, most specific first. A call counts for one rule only. */
const FAILURE_RULES = [
  'TD012',
  'TD013',
  'TD009',
  'TD025',
  'TD029',
  'TD023',
  'TD007',
  'TD034',
  'TD033',
  'TD017',
  'TD016',
];
/** Rules that count calls from which the agent did not recover. */
const UNRECOVERED_RULES: readonly string[] = ['TD034', 'TD033', 'TD017', 'TD016'];

/** Limits the lost calls of all findings of one tool to its failed calls. */
export function attributeLostCalls(findings: readonly Finding[], evidence: ToolEvidence): Finding[] {
  const { calls, recovered } = collectToolErrors(evidence);
  const { errors, results } = evidence;
  // A single rule may know more failures than the totals.
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
 * @param tools the newest listing; empty if the catalogue is unknown
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

/** Identifies a finding across evaluations; dismissals are stored under it. */
export function findingKey({ rule, tool, argument, evidence }: Finding): string {
  const subjects = evidence.names[DISTINGUISHING_NAMES[rule] ?? ''] ?? [];
  return [rule, tool, argument, ...[...subjects].sort()].join('/');
}

/** Rules with several findings at one place, and the names in their evidence that distinguish them. */
const DISTINGUISHING_NAMES: Readonly<Record<string, string>> = {
  TD006: 'tools',
  TD007: 'tools',
  TD026: 'schema',
  TD033: 'codes',
  TD047: 'tools',
  TD048: 'tools',
  TD051: 'codes',
};

const CONFIRMED_BY = new Map(TRAFFIC_RULES.map(({ id, confirms: other }) => [id, other]));

function confirms(shown: Finding, suspected: Finding): boolean {
  if (CONFIRMED_BY.get(shown.rule) !== suspected.rule) return false;
  if (DISTINGUISHING_NAMES[shown.rule] !== 'tools')
    return shown.tool === suspected.tool && shown.argument === suspected.argument;
  const pair = suspected.evidence.names['tools'] ?? [];
  return (shown.evidence.names['tools'] ?? []).every((tool) => pair.includes(tool));
}

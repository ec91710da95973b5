// Findings from the definitions alone, without traffic or a service.

import type { ToolDefinition } from '../model/catalogue.ts';
import { FINDING_LEVELS, type Finding } from './finding.ts';
import { toFinding } from './rule.ts';
import { STATIC_RULES } from './rule-table.ts';

interface LintOptions {
  /** Whether pedantic rules speak, too. */
  readonly pedantic?: boolean;
}

/**
 * @param tools one complete listing; rules compare its tools
 * @returns most severe first, then by rule and tool
 */
export function lintTools(
  tools: readonly ToolDefinition[],
  { pedantic = false }: LintOptions = {},
): Finding[] {
  return STATIC_RULES.filter((rule) => pedantic || rule.pedantic !== true)
    .flatMap((rule) => rule.check(tools).map((found) => toFinding(rule, 'static', found)))
    .sort(compareFindings);
}

/** Orders findings: calls lost, level, rule, tool, argument. */
export function compareFindings(one: Finding, other: Finding): number {
  return (
    other.callsLost - one.callsLost ||
    FINDING_LEVELS.indexOf(other.level) - FINDING_LEVELS.indexOf(one.level) ||
    compareText(one.rule, other.rule) ||
    compareText(one.tool, other.tool) ||
    compareText(one.argument, other.argument)
  );
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

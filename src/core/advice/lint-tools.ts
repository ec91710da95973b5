// The static half of advice: what the definitions alone show, with no traffic and no service.

import type { ToolDefinition } from '../model/catalogue.ts';
import { FINDING_LEVELS, type Finding } from './finding.ts';
import { toFinding } from './rule.ts';
import { STATIC_RULES } from './rule-table.ts';

/**
 * Every static finding over the tools of one server.
 * @param tools all that one listing shows; rules compare them with each other
 * @returns most severe first, then by rule and tool
 */
export function lintTools(tools: readonly ToolDefinition[]): Finding[] {
  return STATIC_RULES.flatMap((rule) =>
    rule.check(tools).map((found) => toFinding(rule, 'static', found)),
  ).sort(compareFindings);
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

// TD012: a bound that agents learn by failing. Speaks only where the schema lacks what the error asks for: an agent that
// ignores a declared bound is no fault of the design.

import {
  type DeclaredArgument,
  declaredArguments,
  findArgument,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatNounCount, formatShareOf } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { evidenceCallsOf, MIN_FAILURES } from '../tool-errors.ts';
import type { FailureEvidence } from '../tool-evidence.ts';

/** "cannot be greater than" asks for an upper bound, "must be greater than" for a lower one. */
const UPPER_NEGATION =
  /(?:not|cannot|can't|n't|never|no)\s+(?:be\s+)?(?:greater|more|larger|longer|higher|bigger) than\b/gi;
const LOWER_NEGATION =
  /(?:not|cannot|can't|n't|never|no)\s+(?:be\s+)?(?:less|smaller|fewer|shorter|lower) than\b/gi;
const UPPER =
  /<=|<(?= ?<n>)|\b(?:at most|(?:less|smaller|fewer|shorter|lower) than|not exceed|exceeds?|exceeded|maximum|max|too (?:big|large|long|many|high)|up to)\b/i;
const LOWER =
  />=|(?<!<[a-z]{1,5})>(?= ?<n>)|\b(?:at least|(?:greater|more|larger|longer|higher|bigger) than|minimum|min|too (?:small|short|few|low)|positive)\b/i;
const RANGE = /\b(?:out of range|outside (?:of )?(?:the )?range|between|in range|out of bounds)\b/i;

type Side = 'lower' | 'upper';

const KEYWORDS: Readonly<Record<string, Readonly<Record<Side, readonly string[]>>>> = {
  number: { lower: ['minimum', 'exclusiveMinimum'], upper: ['maximum', 'exclusiveMaximum'] },
  integer: { lower: ['minimum', 'exclusiveMinimum'], upper: ['maximum', 'exclusiveMaximum'] },
  string: { lower: ['minLength', 'pattern', 'format'], upper: ['maxLength', 'pattern', 'format'] },
  array: { lower: ['minItems'], upper: ['maxItems'] },
};

export const missingBound: TrafficRule = {
  id: 'TD012',
  level: 'warning',
  title: 'Bound not in the schema',
  condition: `At least ${MIN_FAILURES} calls failed because an argument was out of range, and the schema declares no such bound.`,
  disprovedBy: 'The bound is not fixed: it depends on the caller or on what is stored.',
  confirms: 'TD011',
  check: (traffic) => traffic.evidence.failures.flatMap((failure) => toObservations(traffic, failure)),
};

function toObservations(
  { evidence: { tool, calls: all, failures }, definition }: ToolTraffic,
  failure: FailureEvidence,
): Observation[] {
  const { template, calls, code, outcome } = failure;
  if (calls < MIN_FAILURES || definition === undefined || outcome === 'timeout') return [];
  const argument =
    findArgument(definition, failure.argument) ??
    findMentionedArgument(declaredArguments(definition), template);
  const missing = argument === undefined ? [] : missingKeywords(argument, template);
  if (argument === undefined || missing.length === 0) return [];
  const { path, pointer } = argument;
  return [
    {
      tool,
      argument: path,
      finding: `${formatShareOf(calls, all)} failed with "${template}", and the schema of "${path}" has no ${missing.join(' and no ')}.`,
      counts: { calls: all, failures: calls, sessions: failure.sessions },
      names: { codes: [code], messages: [template] },
      calls: evidenceCallsOf({ tool, failures }, [failure]),
      suggestion: `Declare the bound of "${path}" in the schema, and its value in the message: ${formatNounCount(calls, 'call')} would not have been made.`,
      edits: missing.map((keyword) => ({ tool, pointer: `${pointer}/${keyword}`, after: '<n>' })),
      callsLost: calls,
    },
  ];
}

/** Where no path was found: the only declared top-level name that stands in the message. */
function findMentionedArgument(
  all: readonly DeclaredArgument[],
  template: string,
): DeclaredArgument | undefined {
  const words = new Set(template.split(/[^\w]+/));
  const found = all.filter(({ name, depth }) => depth === 0 && words.has(name));
  return found.length === 1 ? found[0] : undefined;
}

function missingKeywords(argument: DeclaredArgument, template: string): string[] {
  const text = template.replace(UPPER_NEGATION, 'at most').replace(LOWER_NEGATION, 'at least');
  const isRange = RANGE.test(text);
  const sides: Side[] = [
    ...(isRange || LOWER.test(text) ? ['lower' as const] : []),
    ...(isRange || UPPER.test(text) ? ['upper' as const] : []),
  ];
  const [type = ''] = [...typesOf(argument)].filter((one) => Object.hasOwn(KEYWORDS, one));
  const keywords = KEYWORDS[type];
  if (keywords === undefined || hasKeyword(argument, 'enum', 'const')) return [];
  return sides.flatMap((side) => (hasKeyword(argument, ...keywords[side]) ? [] : keywords[side].slice(0, 1)));
}

// The failures that a tool's author words: what the tool itself answered or threw. Refusals by the SDK's validation and
// unknown names are worded by the SDK.

import type { EvidenceCalls } from './finding.ts';
import type { FailureEvidence, ToolEvidence } from './tool-evidence.ts';

/** Calls behind any share: below it the product calls a rate "few calls". */
export const MIN_CALLS = 20;

/** Calls before "never" and "always" are said of an argument. */
export const MIN_CALLS_FOR_NEVER = 50;

/** Sessions before a habit is the agents' and not one agent's. */
export const MIN_SESSIONS = 3;

/** Failures of one kind before they are a pattern. */
export const MIN_FAILURES = 3;

/** Tokens of a result at p95 that crowd a context: clients begin to warn at 10,000 and cut at 25,000. */
export const LARGE_RESULT_TOKENS = 10_000;

interface ToolErrors {
  readonly groups: readonly FailureEvidence[];
  readonly calls: number;
  readonly sessions: number;
  readonly recovered: number;
}

export function collectToolErrors({ failures }: ToolEvidence): ToolErrors {
  const groups = failures.filter(({ outcome }) => outcome === 'tool_error' || outcome === 'exception');
  return {
    groups,
    calls: sumOf(groups, ({ calls }) => calls),
    // Sessions of different groups may be the same; the largest group is what is certain.
    sessions: Math.max(0, ...groups.map(({ sessions }) => sessions)),
    recovered: sumOf(groups, ({ next }) => next.recovered),
  };
}

export function sumOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

/** Masked messages of the largest groups, for the evidence. */
export function messagesOf(groups: readonly FailureEvidence[]): string[] {
  return [...groups]
    .sort((one, other) => other.calls - one.calls)
    .map(({ template }) => template)
    .filter((template) => template !== '')
    .slice(0, 5);
}

const GROUP_FIELDS = ['outcome', 'code', 'template', 'argument'] as const;

/** The filters that select just the calls of these groups; only the tool, where there are none that do. */
export function evidenceCallsOf(
  { tool, failures }: Pick<ToolEvidence, 'tool' | 'failures'>,
  groups: readonly FailureEvidence[],
): EvidenceCalls {
  const [first] = groups;
  if (first === undefined) return { tool };
  // An argument that is named by none is no filter.
  const common = GROUP_FIELDS.filter(
    (part) =>
      (part !== 'argument' || first.argument !== '') && groups.every((group) => group[part] === first[part]),
  );
  const selected = failures.filter((group) => common.every((part) => group[part] === first[part]));
  if (selected.length !== groups.length) return { tool };
  const { outcome, code, template: message, argument } = first;
  return {
    tool,
    ...(common.includes('outcome') && { outcome }),
    ...(common.includes('code') && { code }),
    ...(common.includes('template') && { message }),
    ...(common.includes('argument') && { argument }),
  };
}

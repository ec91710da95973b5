// Failures worded by the tool's author: the tool answered or threw them. The SDK words validation errors and unknown names.

import type { EvidenceCalls } from './finding.ts';
import type { FailureEvidence, ToolEvidence } from './tool-evidence.ts';

/** Minimum calls for a share. */
export const MIN_CALLS = 20;

/** Minimum calls for "never" and "always". */
export const MIN_CALLS_FOR_NEVER = 50;

/** Minimum sessions: one agent is not a pattern. */
export const MIN_SESSIONS = 3;

/** Minimum failures of one kind. */
export const MIN_FAILURES = 3;

/** Tokens of a large result at p95: clients begin to warn at 10,000 and truncate at 25,000. */
export const LARGE_RESULT_TOKENS = 10_000;

/** Rows of a list above which the caller needs to know whether there are more. */
export const LONG_LIST_ROWS = 100;

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
    // Groups may share sessions, so only the largest group is certain.
    sessions: Math.max(0, ...groups.map(({ sessions }) => sessions)),
    recovered: sumOf(groups, ({ next }) => next.recovered),
  };
}

export function sumOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

/** Masked messages of the largest groups. */
export function messagesOf(groups: readonly FailureEvidence[]): string[] {
  return [...groups]
    .sort((one, other) => other.calls - one.calls)
    .map(({ template }) => template)
    .filter((template) => template !== '')
    .slice(0, 5);
}

const GROUP_FIELDS = ['outcome', 'code', 'template', 'argument'] as const;

/** The filters that select exactly the calls of these groups; only the tool if there are none. */
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

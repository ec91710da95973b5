// The failures that a tool's author words: what the tool itself answered or threw. Refusals by the SDK's validation and
// unknown names are worded by the SDK.

import type { FailureEvidence, ToolEvidence } from './tool-evidence.ts';

export interface OwnErrors {
  readonly groups: readonly FailureEvidence[];
  readonly calls: number;
  readonly sessions: number;
  readonly recovered: number;
}

export function ownErrors({ failures }: ToolEvidence): OwnErrors {
  const groups = failures.filter(({ outcome }) => outcome === 'tool_error' || outcome === 'exception');
  return {
    groups,
    calls: sumOf(groups, ({ calls }) => calls),
    // Sessions of different groups may be the same; the largest group is what is certain.
    sessions: Math.max(0, ...groups.map(({ sessions }) => sessions)),
    recovered: sumOf(groups, ({ next }) => next.recovered),
  };
}

export function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}

/** Masked messages of the largest groups, for the evidence. */
export function messagesOf(groups: readonly FailureEvidence[]): string[] {
  return [...groups]
    .sort((one, other) => other.calls - one.calls)
    .map(({ template }) => template)
    .filter((template) => template !== '')
    .slice(0, 5);
}

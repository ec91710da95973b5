// TD013: a nested argument that agents leave half filled.

import { declaredArguments, findArgument } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatNounCount, formatShareOf } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';
import { evidenceCallsOf } from '../tool-errors.ts';
import type { ArgumentEvidence, FailureEvidence } from '../tool-evidence.ts';

const MIN_SHARE_INCOMPLETE = 0.05;

export const incompleteObject: TrafficRule = {
  id: 'TD013',
  level: 'warning',
  title: 'Nested argument often incomplete',
  condition: `At least ${MIN_FAILURES} calls, and ${100 * MIN_SHARE_INCOMPLETE} % of those that sent a nested argument, were refused because something inside it was missing.`,
  disprovedBy: 'The missing part is optional in the schema that agents saw.',
  check: (traffic) => traffic.evidence.arguments.flatMap((argument) => toObservations(traffic, argument)),
};

function toObservations(
  { evidence: { tool, failures }, definition }: ToolTraffic,
  argument: ArgumentEvidence,
): Observation[] {
  const { path, sent, incomplete } = argument;
  const declared = definition && findArgument(definition, path);
  if (definition === undefined || declared === undefined) return [];
  if (incomplete < MIN_FAILURES || incomplete < MIN_SHARE_INCOMPLETE * sent) return [];
  const inside = declaredArguments(definition).filter((one) =>
    new RegExp(`^${escapeRegExp(path)}(?:\\[\\])?\\.`).test(one.path),
  );
  const required = inside.filter((one) => one.required).map((one) => one.path);
  if (inside.length === 0) return [];
  return [
    {
      tool,
      argument: path,
      finding: `${formatShareOf(incomplete, Math.max(sent, incomplete))} with "${path}" were refused because something inside was missing; it requires ${required.length > 0 ? formatList(required) : 'more than it says'}.`,
      evidence: {
        counts: { sent, incomplete, nestedArguments: inside.length, nestedRequired: required.length },
        names: { required },
        calls: evidenceCallsOf({ tool, failures }, refusedBelow(path, failures)),
      },
      suggestion: {
        text: `Lift the required parts of "${path}" to the top, give the others defaults, or show one whole example in its description (${formatNounCount(inside.length, 'name')} lie inside).`,
        edits: [{ tool, pointer: `${declared.pointer}/examples`, after: ['<one whole example>'] }],
      },
      callsLost: incomplete,
    },
  ];
}

const refusedBelow = (path: string, failures: readonly FailureEvidence[]): FailureEvidence[] =>
  failures.filter(
    ({ outcome, argument }) =>
      outcome === 'invalid_arguments' &&
      argument !== path &&
      /^[.[]/.test(argument.slice(path.length)) &&
      argument.startsWith(path),
  );

const escapeRegExp = (path: string): string => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

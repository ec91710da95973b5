// TD013: a nested argument that agents leave half filled.

import { declaredArguments, findArgument } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { callsOfGroups } from '../own-errors.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { SEVERAL_FAILURES } from '../thresholds.ts';
import type { ArgumentEvidence, FailureEvidence } from '../tool-evidence.ts';
import { countOf, listOf, shareOf } from '../wording.ts';

const SHARE_INCOMPLETE = 0.05;

export const incompleteObject: TrafficRule = {
  id: 'TD013',
  level: 'warning',
  title: 'Nested argument often incomplete',
  condition: `At least ${SEVERAL_FAILURES} calls, and ${100 * SHARE_INCOMPLETE} % of those that sent a nested argument, were refused because something inside it was missing.`,
  disprovedBy: 'The missing part is optional in the schema that agents saw.',
  check: (traffic) => traffic.evidence.arguments.flatMap((argument) => observe(traffic, argument)),
};

function observe(
  { evidence: { tool, failures }, definition }: ToolTraffic,
  argument: ArgumentEvidence,
): Observation[] {
  const { path, sent, incomplete } = argument;
  const declared = definition && findArgument(definition, path);
  if (definition === undefined || declared === undefined) return [];
  if (incomplete < SEVERAL_FAILURES || incomplete < SHARE_INCOMPLETE * sent) return [];
  const inside = declaredArguments(definition).filter((one) =>
    new RegExp(`^${escaped(path)}(?:\\[\\])?\\.`).test(one.path),
  );
  const required = inside.filter((one) => one.required).map((one) => one.path);
  if (inside.length === 0) return [];
  return [
    {
      tool,
      argument: path,
      finding: `${shareOf(incomplete, Math.max(sent, incomplete))} with "${path}" were refused because something inside was missing; it requires ${required.length > 0 ? listOf(required) : 'more than it says'}.`,
      evidence: {
        counts: { sent, incomplete, nestedArguments: inside.length, nestedRequired: required.length },
        names: { required },
        calls: callsOfGroups({ tool, failures }, refusedBelow(path, failures)),
      },
      suggestion: {
        text: `Lift the required parts of "${path}" to the top, give the others defaults, or show one whole example in its description (${countOf(inside.length, 'name')} lie inside).`,
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

const escaped = (path: string): string => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

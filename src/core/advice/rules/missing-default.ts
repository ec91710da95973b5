// TD010: an argument that is always sent, and always the same. Its value is known to nobody but the caller; that it never
// changes is known to us.

import { findArgument, hasKeyword } from '../declared-arguments.ts';
import type { DefinitionEdit, Observation } from '../finding.ts';
import { formatNounCount } from '../format-counts.ts';
import { isCallerSpecific } from '../is-caller-specific.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_CALLS, MIN_SESSIONS } from '../thresholds.ts';
import type { ArgumentEvidence } from '../tool-evidence.ts';

const MIN_SHARE_SENT = 0.8;

export const missingDefault: TrafficRule = {
  id: 'TD010',
  level: 'note',
  title: 'Same value every time',
  condition: `An argument without \`default\` was in at least ${100 * MIN_SHARE_SENT} % of ${MIN_CALLS} or more calls of ${MIN_SESSIONS} sessions, always with the same value.`,
  disprovedBy: 'The value follows from the caller (an account, a place), and other callers send another.',
  check: (traffic) =>
    traffic.evidence.sessions < MIN_SESSIONS
      ? []
      : traffic.evidence.arguments.flatMap((argument) => toObservations(traffic, argument)),
};

function toObservations(
  { evidence: { tool, sessions }, definition }: ToolTraffic,
  argument: ArgumentEvidence,
): Observation[] {
  const { path, known, sent, compared, distinct, values = [] } = argument;
  const declared = definition && findArgument(definition, path);
  if (declared === undefined || hasKeyword(declared, 'default', 'const') || isCallerSpecific(declared.name))
    return [];
  if (distinct !== 1 || compared < MIN_CALLS || compared < sent || sent < MIN_SHARE_SENT * known) return [];
  const value = values[0] ?? '<that value>';
  const edits: DefinitionEdit[] = [{ tool, pointer: `${declared.pointer}/default`, after: value }];
  return [
    {
      tool,
      argument: path,
      finding: `"${path}" had the same value in all ${formatNounCount(compared, 'call')} that sent it, in ${formatNounCount(sessions, 'session')}.`,
      evidence: { counts: { calls: known, sent, sessions }, names: {}, calls: { tool } },
      suggestion: {
        text: declared.required
          ? 'Make it optional, with that value as its default.'
          : 'Declare that value as its default.',
        edits,
      },
    },
  ];
}

// TD014: an argument that nobody ever sends. It costs tokens in every listing and choice in every call.

import { declaredArguments } from '../declared-arguments.ts';
import { estimateTokens } from '../definition-tokens.ts';
import type { Observation } from '../finding.ts';
import { formatNounCount } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_CALLS_FOR_NEVER, MIN_SESSIONS } from '../thresholds.ts';
import type { ArgumentEvidence } from '../tool-evidence.ts';

export const unusedArgument: TrafficRule = {
  id: 'TD014',
  level: 'note',
  title: 'Argument never used',
  condition: `An optional argument was in none of at least ${MIN_CALLS_FOR_NEVER} calls of ${MIN_SESSIONS} sessions.`,
  disprovedBy: 'It is meant for rare cases, and those did not occur.',
  check: (traffic) =>
    traffic.evidence.sessions < MIN_SESSIONS
      ? []
      : traffic.evidence.arguments.flatMap((argument) => toObservations(traffic, argument)),
};

function toObservations(
  { evidence: { tool, sessions }, definition }: ToolTraffic,
  argument: ArgumentEvidence,
): Observation[] {
  const { path, known, sent } = argument;
  const declared =
    definition && declaredArguments(definition).find((one) => one.path === path && one.depth === 0);
  if (declared === undefined || declared.required || sent > 0 || known < MIN_CALLS_FOR_NEVER) return [];
  const tokens = estimateTokens(JSON.stringify(declared.schema).length);
  return [
    {
      tool,
      argument: path,
      finding: `"${path}" was in none of ${formatNounCount(known, 'call')} of ${formatNounCount(sessions, 'session')}; its definition costs about ${formatNounCount(tokens, 'token')} in every listing.`,
      evidence: {
        counts: { calls: known, sent, sessions, definitionTokens: tokens },
        names: {},
        calls: { tool },
      },
      suggestion: {
        text: 'Take it away, or say in its description when it is worth sending.',
        edits: [{ tool, pointer: declared.pointer, before: declared.schema }],
      },
    },
  ];
}

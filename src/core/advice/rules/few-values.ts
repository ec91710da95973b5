// TD009: a free text that only ever is one of a few values. Texts that name something of the caller's (a path, an owner)
// repeat because the caller's world is small, and are left alone.

import { type DeclaredArgument, findArgument, hasKeyword, typesOf } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatNounCount } from '../format-counts.ts';
import { isCallerSpecific } from '../is-caller-specific.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_CALLS, MIN_SESSIONS } from '../thresholds.ts';
import type { ArgumentEvidence } from '../tool-evidence.ts';

const MAX_VALUES = 8;
const CALLS_PER_VALUE = 10;
/** Longer texts are written, not chosen. */
const MAX_VALUE_LENGTH = 40;

export const fewValues: TrafficRule = {
  id: 'TD009',
  level: 'note',
  title: 'Free text with few values',
  condition: `A text argument without \`enum\` had 2 to ${MAX_VALUES} values in at least ${MIN_CALLS} calls (${CALLS_PER_VALUE} a value) of ${MIN_SESSIONS} sessions; a warning where calls were refused for it.`,
  disprovedBy: 'Other values are as valid, and only did not occur in these calls.',
  confirms: 'TD008',
  check: (traffic) =>
    traffic.evidence.sessions < MIN_SESSIONS
      ? []
      : traffic.evidence.arguments.flatMap((argument) => toObservations(traffic, argument)),
};

function toObservations(
  { evidence: { tool }, definition }: ToolTraffic,
  argument: ArgumentEvidence,
): Observation[] {
  const declared = definition && findArgument(definition, argument.path);
  if (declared === undefined || !isFreeText(declared) || isCallerSpecific(declared.name)) return [];
  const { path, compared, distinct, invalid, longestText, values = [] } = argument;
  const few = distinct >= 2 && distinct <= MAX_VALUES && compared >= distinct * CALLS_PER_VALUE;
  if (!few || compared < MIN_CALLS || longestText > MAX_VALUE_LENGTH) return [];
  const refused = invalid > 0 ? `, and ${formatNounCount(invalid, 'call')} were refused for another` : '';
  return [
    {
      tool,
      argument: path,
      level: invalid > 0 ? 'warning' : 'note',
      finding: `"${path}" takes any text, but had ${distinct} values in ${formatNounCount(compared, 'call')}${refused}.`,
      evidence: {
        counts: { calls: compared, distinctValues: distinct, invalid },
        names: values.length > 0 ? { values } : {},
        calls: invalid > 0 ? { tool, outcome: 'invalid_arguments', argument: path } : { tool },
      },
      suggestion: {
        text: `Declare ${values.length > 0 ? formatList(values, MAX_VALUES) : `the ${distinct} values`} as an \`enum\`, if there are no others.`,
        edits: [
          {
            tool,
            pointer: `${declared.pointer}/enum`,
            after:
              values.length > 0 ? values : Array.from({ length: distinct }, (_, at) => `<value ${at + 1}>`),
          },
        ],
      },
      callsLost: invalid,
    },
  ];
}

function isFreeText(argument: DeclaredArgument): boolean {
  return typesOf(argument).has('string') && !hasKeyword(argument, 'enum', 'const', 'pattern', 'format');
}

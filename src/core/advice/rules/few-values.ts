// TD009: a free text that only ever is one of a few values. Texts that name something of the caller's (a path, an owner)
// repeat because the caller's world is small, and are left alone.

import { isCallersOwn } from '../callers-own.ts';
import { type DeclaredArgument, findArgument, hasKeyword, typesOf } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { ENOUGH_CALLS, SEVERAL_SESSIONS } from '../thresholds.ts';
import type { ArgumentEvidence } from '../tool-evidence.ts';
import { countOf, listOf } from '../wording.ts';

const MOST_VALUES = 8;
const CALLS_PER_VALUE = 10;
/** Longer texts are written, not chosen. */
const LONGEST_VALUE = 40;

export const fewValues: TrafficRule = {
  id: 'TD009',
  level: 'note',
  title: 'Free text with few values',
  condition: `A text argument without \`enum\` had 2 to ${MOST_VALUES} values in at least ${ENOUGH_CALLS} calls (${CALLS_PER_VALUE} a value) of ${SEVERAL_SESSIONS} sessions; a warning where calls were refused for it.`,
  disprovedBy: 'Other values are as valid, and only did not occur in these calls.',
  confirms: 'TD008',
  check: (traffic) =>
    traffic.evidence.sessions < SEVERAL_SESSIONS
      ? []
      : traffic.evidence.arguments.flatMap((argument) => observe(traffic, argument)),
};

function observe({ evidence: { tool }, definition }: ToolTraffic, argument: ArgumentEvidence): Observation[] {
  const declared = definition && findArgument(definition, argument.path);
  if (declared === undefined || !isFreeText(declared) || isCallersOwn(declared.name)) return [];
  const { path, compared, distinct, invalid, longestText, values = [] } = argument;
  const few = distinct >= 2 && distinct <= MOST_VALUES && compared >= distinct * CALLS_PER_VALUE;
  if (!few || compared < ENOUGH_CALLS || longestText > LONGEST_VALUE) return [];
  const refused = invalid > 0 ? `, and ${countOf(invalid, 'call')} were refused for another` : '';
  return [
    {
      tool,
      argument: path,
      level: invalid > 0 ? 'warning' : 'note',
      finding: `"${path}" takes any text, but had ${distinct} values in ${countOf(compared, 'call')}${refused}.`,
      evidence: {
        counts: { calls: compared, distinctValues: distinct, invalid },
        names: values.length > 0 ? { values } : {},
        calls: invalid > 0 ? { tool, outcome: 'invalid_arguments', argument: path } : { tool },
      },
      suggestion: {
        text: `Declare ${values.length > 0 ? listOf(values, MOST_VALUES) : `the ${distinct} values`} as an \`enum\`, if there are no others.`,
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

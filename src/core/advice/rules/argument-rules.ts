// Rules about how arguments are used: few values (TD009), always the same value (TD010), often incomplete (TD013), never
// sent (TD014).

import {
  type DeclaredArgument,
  declaredArguments,
  findArgument,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import { estimateTokens } from '../definition-tokens.ts';
import type { DefinitionEdit, Observation } from '../finding.ts';
import { formatList, formatNounCount, formatShareOf } from '../format-counts.ts';
import { isCallerSpecific } from '../nouns.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import {
  evidenceCallsOf,
  MIN_CALLS,
  MIN_CALLS_FOR_NEVER,
  MIN_FAILURES,
  MIN_SESSIONS,
} from '../tool-errors.ts';
import type { ArgumentEvidence, FailureEvidence } from '../tool-evidence.ts';

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
      : traffic.evidence.arguments.flatMap((argument) => checkDefault(traffic, argument)),
};

function checkDefault(
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
      counts: { calls: known, sent, sessions },
      calls: { tool },
      suggestion: declared.required
        ? 'Make it optional, with that value as its default.'
        : 'Declare that value as its default.',
      edits,
    },
  ];
}

const MIN_SHARE_INCOMPLETE = 0.05;

export const incompleteObject: TrafficRule = {
  id: 'TD013',
  level: 'warning',
  title: 'Nested argument often incomplete',
  condition: `At least ${MIN_FAILURES} calls, and ${100 * MIN_SHARE_INCOMPLETE} % of those that sent a nested argument, were refused because something inside it was missing.`,
  disprovedBy: 'The missing part is optional in the schema that agents saw.',
  check: (traffic) => traffic.evidence.arguments.flatMap((argument) => checkIncomplete(traffic, argument)),
};

function checkIncomplete(
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
      counts: { sent, incomplete, nestedArguments: inside.length, nestedRequired: required.length },
      names: { required },
      calls: evidenceCallsOf({ tool, failures }, refusedBelow(path, failures)),
      suggestion: `Lift the required parts of "${path}" to the top, give the others defaults, or show one whole example in its description (${formatNounCount(inside.length, 'name')} lie inside).`,
      edits: [{ tool, pointer: `${declared.pointer}/examples`, after: ['<one whole example>'] }],
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

export const unusedArgument: TrafficRule = {
  id: 'TD014',
  level: 'note',
  title: 'Argument never used',
  condition: `An optional argument was in none of at least ${MIN_CALLS_FOR_NEVER} calls of ${MIN_SESSIONS} sessions.`,
  disprovedBy: 'It is meant for rare cases, and those did not occur.',
  check: (traffic) =>
    traffic.evidence.sessions < MIN_SESSIONS
      ? []
      : traffic.evidence.arguments.flatMap((argument) => checkUnused(traffic, argument)),
};

function checkUnused(
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
      counts: { calls: known, sent, sessions, definitionTokens: tokens },
      calls: { tool },
      suggestion: 'Remove it, or say in its description when to send it.',
      edits: [{ tool, pointer: declared.pointer, before: declared.schema }],
    },
  ];
}

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
      : traffic.evidence.arguments.flatMap((argument) => checkFewValues(traffic, argument)),
};

function checkFewValues(
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
      counts: { calls: compared, distinctValues: distinct, invalid },
      names: values.length > 0 ? { values } : {},
      calls: invalid > 0 ? { tool, outcome: 'invalid_arguments', argument: path } : { tool },
      suggestion: `Declare ${values.length > 0 ? formatList(values, MAX_VALUES) : `the ${distinct} values`} as an \`enum\`, if there are no others.`,
      edits: [
        {
          tool,
          pointer: `${declared.pointer}/enum`,
          after:
            values.length > 0 ? values : Array.from({ length: distinct }, (_, at) => `<value ${at + 1}>`),
        },
      ],
      callsLost: invalid,
    },
  ];
}

function isFreeText(argument: DeclaredArgument): boolean {
  return typesOf(argument).has('string') && !hasKeyword(argument, 'enum', 'const', 'pattern', 'format');
}

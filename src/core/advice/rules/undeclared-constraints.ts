// Rules about constraints that a description states and the schema does not declare: allowed values (TD008), bounds (TD011).

import type { ToolDefinition } from '../../model/catalogue.ts';
import {
  type DeclaredArgument,
  declaredArguments,
  descriptionOf,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import type { DefinitionEdit } from '../finding.ts';
import { formatList } from '../format-counts.ts';
import type { StaticRule } from '../rule.ts';

const UPPER =
  /\b(?:max(?:imum)?(?: value| of| is|:|=)*|at most|no more than|up to|not exceed)[\s:`(]*(\d[\d,_]*)\b(?!\s*(?:%|[kmg]b\b|characters|chars|bytes|words|days|times|decimals?|digits?|places|significant))/i;
const LOWER = /\b(?:min(?:imum)?(?: value| of| is|:|=)*|at least|no less than)[\s:`(]*(\d[\d,_]*)\b/i;
const BETWEEN =
  /(?:\bbetween |\bfrom |[([])(\d[\d,_]*)(?:\s*(?:-|–|to|and|\.\.+)\s*)(\d[\d,_]*)(?:[)\]]|\b)/i;

export const boundOnlyInDescription: StaticRule = {
  id: 'TD011',
  level: 'note',
  title: 'Bound only in the description',
  condition: 'The description of a number gives a minimum or maximum, and the schema has none.',
  disprovedBy: 'The tool takes numbers beyond that bound.',
  check: (tools) =>
    tools.flatMap((tool) => declaredArguments(tool).flatMap((argument) => checkBound(tool, argument))),
};

function checkBound({ name: tool }: ToolDefinition, argument: DeclaredArgument) {
  const types = typesOf(argument);
  if (!types.has('number') && !types.has('integer')) return [];
  const bounds = statedBounds(descriptionOf(argument));
  const edits: DefinitionEdit[] = [
    ...(bounds.minimum !== undefined && !hasKeyword(argument, 'minimum', 'exclusiveMinimum')
      ? [{ tool, pointer: `${argument.pointer}/minimum`, after: bounds.minimum }]
      : []),
    ...(bounds.maximum !== undefined && !hasKeyword(argument, 'maximum', 'exclusiveMaximum')
      ? [{ tool, pointer: `${argument.pointer}/maximum`, after: bounds.maximum }]
      : []),
  ];
  if (edits.length === 0 || hasKeyword(argument, 'enum', 'const')) return [];
  const missing = edits.map(({ pointer, after }) => `${pointer.split('/').at(-1)} ${after}`);
  return [
    {
      tool,
      argument: argument.path,
      finding: `The description of "${argument.path}" states ${formatList(missing)}, which the schema does not: nothing stops a call beyond it.`,
      counts: { ...bounds },
      suggestion: 'Declare the bound in the schema.',
      edits,
    },
  ];
}

function statedBounds(text: string): { readonly minimum?: number; readonly maximum?: number } {
  const between = BETWEEN.exec(text);
  if (between && toNumber(between[1]) < toNumber(between[2]))
    return { minimum: toNumber(between[1]), maximum: toNumber(between[2]) };
  const [upper, lower] = [UPPER.exec(text), LOWER.exec(text)];
  return {
    ...(lower && { minimum: toNumber(lower[1]) }),
    ...(upper && { maximum: toNumber(upper[1]) }),
  };
}

const toNumber = (digits = ''): number => Number(digits.replaceAll(/[,_]/g, ''));

const VALUE = String.raw`["'\x60“]([\w./-]{1,40})["'\x60”]`;
const SEPARATOR = String.raw`(?:\s*(?:,|\||/|\bor\b|\band\b|, or|, and)\s*)`;
const QUOTED_LIST = new RegExp(`${VALUE}(?:${SEPARATOR}+${VALUE})+`);
const LIST_INTRODUCTION =
  /\b(?:one of|allowed values?(?: are)?|valid values?(?: are)?|possible values?(?: are)?|accepted values?(?: are)?|valid options?(?: are)?|options are|must be(?: one of| either)?|can be(?: one of| either))\b[:\s(]*/gi;
const BARE_LIST = /^([\w-]{2,30}(?:(?:\s*[|,]\s*|,? or )[\w-]{2,30})+)/;
const OPEN_LIST =
  /\b(?:e\.?g\.?|for example|for instance|such as|examples?|etc|and so on|among others|like)\b|…|\.\.\./i;

/** "The cell can be …" says what a thing is, and not what the argument takes. */
const ANOTHER_SUBJECT =
  /\b(?:the|a|an|each|every|its) (?!value|type|kind|status|state|mode|format|level|option|argument|parameter|field)\w+ $/i;

export const enumOnlyInDescription: StaticRule = {
  id: 'TD008',
  level: 'warning',
  title: 'Allowed values only in the description',
  condition:
    'The description of a text argument lists its allowed values ("one of", "must be"), and the schema has no `enum`.',
  disprovedBy: 'Other values than those listed are accepted.',
  check: (tools) =>
    tools.flatMap((tool) => declaredArguments(tool).flatMap((argument) => checkEnum(tool, argument))),
};

function checkEnum({ name: tool }: ToolDefinition, argument: DeclaredArgument) {
  if (!typesOf(argument).has('string') || hasKeyword(argument, 'enum', 'const', 'pattern', 'format'))
    return [];
  const values = listedValues(descriptionOf(argument));
  if (values.length < 2) return [];
  return [
    {
      tool,
      argument: argument.path,
      finding: `The description of "${argument.path}" allows ${formatList(values, 6)}, but the schema takes any text, so nothing stops a wrong one before the call.`,
      counts: { listedValues: values.length },
      names: { listedValues: values },
      suggestion: 'Declare them as an `enum`.',
      edits: [{ tool, pointer: `${argument.pointer}/enum`, after: values }],
    },
  ];
}

/** The values of the first closed list in a text; none when it only gives examples. */
function listedValues(text: string): string[] {
  for (const match of text.matchAll(LIST_INTRODUCTION)) {
    const start = match.index + match[0].length;
    const sentence = text.slice(start).split(/[.;)\n](?:\s|$)/, 1)[0] ?? '';
    const before = text.slice(Math.max(0, match.index - 40), match.index);
    if (OPEN_LIST.test(sentence) || OPEN_LIST.test(before) || ANOTHER_SUBJECT.test(before)) continue;
    const quoted = QUOTED_LIST.exec(sentence);
    if (quoted !== null && quoted.index < 3)
      return [...quoted[0].matchAll(new RegExp(VALUE, 'g'))].map((value) => value[1] ?? '');
    const bare = BARE_LIST.exec(sentence)?.[1];
    // Words separated by spaces only, or a sentence that goes on, are prose and no list.
    if (bare !== undefined && bare.length >= sentence.trim().length - 1)
      return bare.split(/\s*[|,]\s*(?:or )?| or /).filter((value) => value !== '');
  }
  return [];
}

// TD043: values that a description lists without an introduction: "Priority (low, medium or high)". TD008 has the lists after
// "one of" and "must be".

import type { ToolDefinition } from '../../model/catalogue.ts';
import {
  type DeclaredArgument,
  declaredArguments,
  descriptionOf,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList } from '../format-counts.ts';
import { nameWords, wordSet } from '../name-words.ts';
import { isCallerSpecific, isPlainNoun } from '../nouns.ts';
import type { StaticRule } from '../rule.ts';
import { enumOnlyInDescription } from './undeclared-constraints.ts';

export const valuesInWords: StaticRule = {
  id: 'TD043',
  level: 'note',
  pedantic: true,
  title: 'Values listed in words',
  condition:
    'The description of a text argument ends in a list of its values, or has one in brackets ("low, medium or high"), and the schema has no `enum`.',
  disprovedBy: 'Other values than those listed are accepted.',
  check: (tools) => {
    const stated = new Set(enumOnlyInDescription.check(tools).map(toPlace));
    return tools
      .flatMap((tool) => declaredArguments(tool).flatMap((argument) => checkValues(tool, argument)))
      .filter((found) => !stated.has(toPlace(found)));
  },
};

const toPlace = ({ tool, argument = '' }: Observation): string => JSON.stringify([tool, argument]);

function checkValues({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation[] {
  const types = typesOf(argument);
  if (types.size !== 1 || !types.has('string') || isCallerSpecific(argument.name)) return [];
  if (hasKeyword(argument, 'enum', 'const', 'pattern', 'format')) return [];
  const values = listValues(descriptionOf(argument), argument.name);
  if (values.length < 2) return [];
  return [
    {
      tool,
      argument: argument.path,
      finding: `The description of "${argument.path}" lists ${formatList(values, 6)}, and the schema takes any text.`,
      counts: { listedValues: values.length },
      names: { listedValues: values },
      suggestion: 'Declare them as an `enum`.',
      edits: [{ tool, pointer: `${argument.pointer}/enum`, after: values }],
    },
  ];
}

/** Examples are no limit, and neither is a list that goes on. */
const OPEN_LIST =
  /\b(?:e\.?g\b|i\.e|example|instance|such as|etc|and so on|like|default|optional|comma|multiple|any|custom|other)|…|\.\.\./i;
const QUOTED = String.raw`["'\x60]([\w./-]{1,40})["'\x60]`;
const BARE = '([a-z][a-z0-9_-]{1,29}|[A-Z][A-Z0-9_]{1,29})';
const listPattern = (value: string, last: string): RegExp =>
  new RegExp(`^${value}(?:\\s*(?:,|\\|)\\s*(?:or\\s+)?${value}|\\s+or\\s+${value})*(?:${last})${value}$`);
/** Quoted words may be separated in any way; of bare ones only "or" and a bar show that they are a choice. */
const QUOTED_LIST = listPattern(QUOTED, String.raw`\s*(?:,|\||,? or)\s*`);
const BARE_LIST = listPattern(BARE, String.raw`\s*\|\s*|,? or `);

/** The values of a list that is all there is in brackets, after the last colon, or in the whole text. */
function listValues(text: string, name: string): string[] {
  const places = [
    ...[...text.matchAll(/\(([^()]{3,200})\)/g)].map(([, inside = '']) => inside),
    /:\s*([^:]{3,200})$/.exec(text)?.[1] ?? '',
    text,
  ].map((place) => place.trim().replace(/\.$/, ''));
  if (OPEN_LIST.test(text)) return [];
  const found = places.find(
    (place) => QUOTED_LIST.test(place) || (BARE_LIST.test(place) && isChoice(splitList(place), name)),
  );
  if (found === undefined) return [];
  // "Direction (ascending or descending). Use 'desc' …": the words in brackets are not the values.
  const isQuoted = QUOTED_LIST.test(found);
  return !isQuoted && /["'`]\w/.test(text) ? [] : splitList(found);
}

const splitList = (list: string): string[] =>
  list
    .split(/\s*[,|]\s*(?:or\s+)?|\s+or\s+/)
    .map((value) => value.replaceAll(/["'`]/g, ''))
    .filter((value) => value !== '');

/** Last words of arguments that take one of a few values. */
const CHOICE_NAMES = wordSet(
  'type mode status state priority order sort direction format level visibility role scope unit units method severity kind category action operator aggregation theme size quality',
);

/** "ID or name" says what the text is; it is no value. */
function isChoice(values: readonly string[], name: string): boolean {
  if (CHOICE_NAMES.has(nameWords(name).at(-1) ?? '')) return true;
  return values.every((value) => !isCallerSpecific(value) && !isPlainNoun(value));
}

// What an agent has to guess about an argument: what it is (TD039), how a date is written (TD040), what happens without it (TD041).

import type { ToolDefinition } from '../../model/catalogue.ts';
import { isRecord } from '../../values/is-record.ts';
import {
  type DeclaredArgument,
  declaredArguments,
  descriptionOf,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList, formatShareOf } from '../format-counts.ts';
import { nameWords, wordSet } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

const MIN_UNDESCRIBED = 3;
const MIN_SHARE_UNDESCRIBED = 0.25;

export const undescribedArguments: StaticRule = {
  id: 'TD039',
  level: 'note',
  pedantic: true,
  title: 'Arguments without a description',
  condition: `At least ${MIN_UNDESCRIBED} arguments, and ${100 * MIN_SHARE_UNDESCRIBED} % of all of a server, have neither a description nor a list of values; one finding for a server.`,
  disprovedBy: 'Agents fill these arguments correctly.',
  check: (tools) => {
    const all = tools.flatMap((tool) => listLeaves(tool).map((argument) => ({ tool, argument })));
    const bare = all.filter(
      ({ argument }) =>
        descriptionOf(argument).trim() === '' &&
        !hasKeyword(argument, 'enum', 'const', 'examples') &&
        !describesItems(argument) &&
        !SELF_EXPLANATORY.has(argument.name),
    );
    if (bare.length < MIN_UNDESCRIBED || bare.length < MIN_SHARE_UNDESCRIBED * all.length) return [];
    const names = bare.map(({ tool, argument }) => `${tool.name}.${argument.path}`);
    return [
      {
        tool: '',
        finding: `${formatShareOf(bare.length, all.length, 'argument')} have no description (${formatList(names, 5)}).`,
        counts: { arguments: all.length, undescribed: bare.length },
        names: { undescribed: names },
        suggestion: 'Say of each what it is, in which form, and where the value comes from.',
        edits: bare.map(({ tool, argument }) => ({
          tool: tool.name,
          pointer: `${argument.pointer}/description`,
          after: '<what it is>',
        })),
      },
    ];
  },
};

/** A list of listed values, or of what is described. */
const describesItems = ({ schemas }: DeclaredArgument): boolean =>
  schemas.some(({ items }) => isRecord(items) && ('enum' in items || 'description' in items));

/** No description could add to these. */
const SELF_EXPLANATORY = wordSet(
  'latitude longitude red green blue alpha x y width height top right bottom left bold italic underline page',
);

/** An object around declared arguments needs no description of its own. */
function listLeaves(tool: ToolDefinition): DeclaredArgument[] {
  const all = declaredArguments(tool);
  return all.filter(
    ({ path }) =>
      !all.some((other) => other.path.startsWith(`${path}.`) || other.path.startsWith(`${path}[].`)),
  );
}

/** Last words of arguments that are a point in time. */
const DATE_WORDS = /^(?:date|datetime|timestamp|deadline|since|until)$/;
/** The description shows how it is written, or says that any way will do. */
const WRITTEN_AS =
  /\b(?:iso|rfc|yyyy|yy|mm|dd|hh|same|unix|epoch|utc|gmt|seconds|milliseconds|ms|format|natural language|relative|cron|today|tomorrow|yesterday|now|duration|id|hash|sha|commit|version)\b|\d/i;

export const dateWithoutFormat: StaticRule = {
  id: 'TD040',
  level: 'note',
  pedantic: true,
  title: 'Date without a format',
  condition:
    'A text argument is a date or time by its name, and neither `format`, `pattern`, an example nor the description says how it is written.',
  disprovedBy: 'The tool reads dates in any form.',
  check: (tools) =>
    tools.flatMap((tool) => declaredArguments(tool).flatMap((argument) => checkDate(tool, argument))),
};

function checkDate(definition: ToolDefinition, argument: DeclaredArgument): Observation[] {
  const { name: tool, description = '' } = definition;
  const words = nameWords(argument.name);
  // `waitUntil` is an event, and `relativeDate` a word.
  if (words.includes('wait') || words.includes('relative')) return [];
  const isDate = DATE_WORDS.test(words.at(-1) ?? '') || (words.length > 1 && words.at(-1) === 'at');
  const types = typesOf(argument);
  if (!isDate || types.size !== 1 || !types.has('string')) return [];
  if (hasKeyword(argument, 'format', 'pattern', 'enum', 'const', 'examples', 'default')) return [];
  if (WRITTEN_AS.test(descriptionOf(argument)) || /\b(?:iso|yyyy|rfc)\b/i.test(description)) return [];
  // `startDate` says how it is written for `endDate`, too.
  const alike = declaredArguments(definition).filter(({ name }) => nameWords(name).at(-1) === words.at(-1));
  if (alike.some((other) => WRITTEN_AS.test(descriptionOf(other)))) return [];
  return [
    {
      tool,
      argument: argument.path,
      finding: `"${argument.path}" of "${tool}" is a date or time, and nothing says how it is written.`,
      counts: {},
      names: { argument: [argument.path] },
      suggestion: 'Declare a `format` (`date`, `date-time`) and show one in the description.',
      edits: [{ tool, pointer: `${argument.pointer}/format`, after: '<date or date-time>' }],
    },
  ];
}

/** A number, a quoted word or a boolean; a sentence after "default" says what is done rather than what is sent. */
const STATED_DEFAULT =
  /\b(?:defaults? (?:to|is|value is|value:)|default(?: value)?\s*[:=]|\(default)\s*:?\s*(?:"([\w.-]+)"|'([\w.-]+)'|`([\w.-]+)`|(-?\d+(?:\.\d+)?)(?!\w|\.\d|\s*%|\s+\w+ for )|(true|false)\b)/i;

export const defaultOnlyInDescription: StaticRule = {
  id: 'TD041',
  level: 'note',
  title: 'Default only in the description',
  condition:
    'The description of an optional argument states its default as a number, a boolean, a quoted word or one of the listed values, and the schema has no `default`.',
  disprovedBy: 'The default depends on something else.',
  check: (tools) =>
    tools.flatMap((tool) => declaredArguments(tool).flatMap((argument) => checkDefault(tool, argument))),
};

const UPDATING_VERBS = wordSet('update patch edit modify');

function checkDefault({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation[] {
  if (argument.required || hasKeyword(argument, 'default', 'const')) return [];
  // What an update leaves out stays as it is, whatever it was when the thing was made.
  if (UPDATING_VERBS.has(actionOf(tool)?.verb ?? '')) return [];
  const types = typesOf(argument);
  if (types.has('object') || types.has('array')) return [];
  const after = statedDefault(argument);
  if (after === undefined) return [];
  const isOfType = [...types].some((type) =>
    type === 'integer' || type === 'number' ? typeof after === 'number' : typeof after === type,
  );
  if (!isOfType) return [];
  return [
    {
      tool,
      argument: argument.path,
      finding: `The description of "${argument.path}" states the default ${JSON.stringify(after)}, and the schema has none.`,
      counts: {},
      names: { argument: [argument.path] },
      suggestion: 'Declare it as `default`.',
      edits: [{ tool, pointer: `${argument.pointer}/default`, after }],
    },
  ];
}

function statedDefault(argument: DeclaredArgument): string | number | boolean | undefined {
  const text = descriptionOf(argument);
  const match = STATED_DEFAULT.exec(text);
  if (match === null) return listedDefault(argument, text);
  const [, double, single, code, number, truth] = match;
  return number === undefined ? (double ?? single ?? code ?? truth === 'true') : Number(number);
}

/** A bare word is a default only where the schema lists it: "Defaults to relevance". */
function listedDefault({ schemas }: DeclaredArgument, text: string): string | undefined {
  const [, word] = /\bdefault(?:s to|s?:| is|:| value:)? ([\w-]+)(?=\s*(?:$|[).;,]))/i.exec(text) ?? [];
  return schemas.some(({ enum: listed }) => Array.isArray(listed) && listed.includes(word))
    ? word
    : undefined;
}

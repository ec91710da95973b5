// Arguments that take anything: SQL of any kind (TD045), an object without a declared key or a name without a list (TD046).

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
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

/** Says which statements are taken, or that every one is. */
const STATEMENTS =
  /\b(?:select|read[- ]?only|insert|update|delete|ddl|dml|any (?:sql|statement|query)|write|modif\w+|destructive|queries only|arbitrary)\b/i;

export const rawSql: StaticRule = {
  id: 'TD045',
  level: 'note',
  pedantic: true,
  title: 'SQL of any kind',
  condition:
    'A text argument takes SQL, and neither a hint nor the description says whether statements that change data are taken.',
  disprovedBy: 'The server refuses them and says so in the error.',
  check: (tools) =>
    tools.flatMap((tool) => {
      const argument = declaredArguments(tool).find((one) => takesSql(tool, one));
      return argument === undefined || statesStatements(tool, argument)
        ? []
        : [toSqlObservation(tool, argument)];
    }),
};

function takesSql({ name, description = '' }: ToolDefinition, argument: DeclaredArgument): boolean {
  if (argument.depth > 0 || !typesOf(argument).has('string') || hasKeyword(argument, 'enum')) return false;
  const words = nameWords(argument.name);
  if (words.includes('sql')) return !/^(?:id|name|type|version|mode)$/.test(words.at(-1) ?? '');
  const isQuery = /^(?:query|queries|statement)$/.test(words.at(-1) ?? '');
  return isQuery && /\bSQL\b/i.test(`${nameWords(name).join(' ')} ${description} ${descriptionOf(argument)}`);
}

function statesStatements(
  { name, description = '', annotations }: ToolDefinition,
  argument: DeclaredArgument,
) {
  if (annotations?.readOnlyHint !== undefined || annotations?.destructiveHint !== undefined) return true;
  return STATEMENTS.test(`${nameWords(name).join(' ')} ${description} ${descriptionOf(argument)}`);
}

const toSqlObservation = ({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation => ({
  tool,
  argument: argument.path,
  finding: `"${argument.path}" of "${tool}" takes SQL, and nothing says whether statements that change data are taken.`,
  counts: {},
  names: { argument: [argument.path] },
  suggestion: 'Say which statements are taken, and set `readOnlyHint` if only those that read.',
});

/** Objects whose keys are the caller's own. */
const MAP_NAME =
  /^(?:metadata|meta|headers?|labels?|tags?|env|environment|variables?|vars|cookies|annotations|context|data|payload|body|json|schema|content|document|fields|attributes|properties|values|record|object|extra|spec|inputs?|args|arguments)$/;
const OPTION_NAME =
  /^(?:options?|opts|params|parameters|config|configuration|settings|preferences|filters?|criteria)$/;
/** A key or where they are told. */
const NAMES_KEYS =
  /["'`{}[\]=:]|\be\.g|example|such as|like|https?:|documentation|docs|see |schema|key[- ]value|map\b|syntax|matching/i;

export const undeclaredKeys: StaticRule = {
  id: 'TD046',
  level: 'note',
  pedantic: true,
  title: 'Options without names',
  condition:
    'An object named `options`, `config`, `filters` or alike declares no keys and its description names none; or a tool sets a `field`, `option` or `setting` to a `value`, and no names are listed.',
  disprovedBy: 'The keys are the caller’s own.',
  check: (tools) =>
    tools.flatMap((tool) =>
      declaredArguments(tool)
        .filter((argument) => isFreeObject(tool, argument) || isFreeSetter(tool, argument))
        .map((argument) => toKeysObservation(tool, argument)),
    ),
};

function isFreeObject({ description = '' }: ToolDefinition, argument: DeclaredArgument): boolean {
  const last = nameWords(argument.name).at(-1) ?? '';
  if (!OPTION_NAME.test(last) || MAP_NAME.test(last)) return false;
  const types = typesOf(argument);
  if (types.size !== 1 || !types.has('object')) return false;
  if (hasKeyword(argument, 'patternProperties', 'propertyNames', 'examples', 'default')) return false;
  const declares = argument.schemas.some(
    ({ properties, additionalProperties }) =>
      (isRecord(properties) && Object.keys(properties).length > 0) ||
      additionalProperties === false ||
      (isRecord(additionalProperties) && Object.keys(additionalProperties).length > 0),
  );
  return !declares && !NAMES_KEYS.test(descriptionOf(argument)) && !description.includes(`${argument.name}.`);
}

const SETTING_NAME = /^(?:field|setting|option|preference)$/;

function isFreeSetter(tool: ToolDefinition, argument: DeclaredArgument): boolean {
  const words = nameWords(argument.name).filter((word) => word !== 'name' && word !== 'key');
  if (
    actionOf(tool.name)?.kind !== 'change' ||
    argument.depth > 0 ||
    !argument.required ||
    !SETTING_NAME.test(words.at(-1) ?? '')
  )
    return false;
  if (!typesOf(argument).has('string') || hasKeyword(argument, 'enum', 'const', 'pattern', 'examples'))
    return false;
  const hasValue = declaredArguments(tool).some(
    ({ name, depth }) => depth === 0 && nameWords(name).at(-1) === 'value',
  );
  return hasValue && !NAMES_KEYS.test(descriptionOf(argument)) && !/\(/.test(descriptionOf(argument));
}

const toKeysObservation = ({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation => ({
  tool,
  argument: argument.path,
  finding: `Nothing says which names "${argument.path}" of "${tool}" takes.`,
  counts: {},
  names: { argument: [argument.path] },
  suggestion: typesOf(argument).has('object')
    ? 'Declare the keys under `properties`.'
    : 'Declare the names as an `enum`, or give examples.',
});

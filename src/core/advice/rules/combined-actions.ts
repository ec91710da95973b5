// TD044: one tool that reads by one value of an argument and changes by another. A hint that it only reads is true of one half
// only, and a client that asks before it changes something has to ask before it reads, too.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { type DeclaredArgument, declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatList } from '../format-counts.ts';
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

/** Arguments that say what is to be done. */
const ACTION_NAME = /^(?:action|operation|op|command|subcommand|method|task|mode)$/;

export const combinedActions: StaticRule = {
  id: 'TD044',
  level: 'note',
  title: 'Reads and changes in one tool',
  condition:
    'A listed value of `action`, `operation` or a like argument is a verb that reads, and another one that creates, changes or deletes.',
  disprovedBy: 'Each caller that may do the one may do the other.',
  check: (tools) =>
    tools.flatMap((tool) =>
      declaredArguments(tool)
        .filter(({ name, depth }) => depth === 0 && ACTION_NAME.test(nameWords(name).at(-1) ?? ''))
        .flatMap((argument) => checkActions(tool, argument)),
    ),
};

function checkActions({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation[] {
  const values = listEnum(argument);
  // Methods of HTTP are a value that the tool notes or sends on, and no work of its own.
  if (values.some((value) => /^(?:post|put|patch)$/i.test(value))) return [];
  const kindOf = (value: string) =>
    /^(?:create|update|delete|remove)_/.test(value) ? 'change' : actionOf(value)?.kind;
  const reading = values.filter((value) => kindOf(value) === 'read');
  const changing = values.filter((value) => ['create', 'change', 'delete'].includes(kindOf(value) ?? ''));
  if (reading.length === 0 || changing.length === 0) return [];
  return [
    {
      tool,
      argument: argument.path,
      finding: `By "${argument.path}", "${tool}" reads (${formatList(reading)}) and changes (${formatList(changing)}): no hint is true of both, and a client cannot allow the one without the other.`,
      counts: { values: values.length, reading: reading.length, changing: changing.length },
      names: { reading, changing },
      suggestion: 'Make what reads a tool of its own, with `readOnlyHint: true`.',
    },
  ];
}

const listEnum = ({ schemas }: DeclaredArgument): string[] =>
  schemas
    .flatMap((schema) => [...(Array.isArray(schema['enum']) ? schema['enum'] : []), schema['const']])
    .filter((value) => typeof value === 'string');

// TD028: hints that the name contradicts. Clients run a tool with `readOnlyHint` without asking anybody.

import type { ToolAnnotations, ToolDefinition } from '../../model/catalogue.ts';
import type { Observation } from '../finding.ts';
import { nameWords, wordSet } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf, type NamedAction } from '../verbs.ts';

/** Verbs that write whatever their object is; others (`create_chart`, `set_context`) may only compute. */
const WRITE_VERBS = wordSet(
  'write send publish upload insert rename overwrite pay charge transfer refund purchase merge',
);
/** Reading verbs that leave nothing behind whatever their object is. */
const READ_ONLY_VERBS = wordSet(
  'get list read search find show view describe lookup query count retrieve browse',
);

export const annotationsContradictName: StaticRule = {
  id: 'TD028',
  level: 'error',
  title: 'Annotation contradicts the name',
  condition:
    '`readOnlyHint: true` on a name that deletes or writes, or beside `destructiveHint: true`; `destructiveHint` that the name contradicts is a warning.',
  disprovedBy: 'The tool does what the hint says, and only its name is wrong.',
  check: (tools) => tools.flatMap(toObservations),
};

function toObservations(tool: ToolDefinition): Observation[] {
  const { name, annotations = {} } = tool;
  const action = actionOf(name);
  const found = action && findContradiction(action, annotations, name);
  if (found) {
    const { level, hint, why, after } = found;
    const before = annotations[hint];
    return [
      {
        tool: name,
        level,
        finding: `"${name}" has \`${hint}: ${before}\`, but ${why}.`,
        counts: {},
        names: { verb: [action.verb], hint: [hint] },
        suggestion: `Set \`${hint}\` to ${after}, or give the tool the name of what it does.`,
        edits: [{ tool: name, pointer: `/annotations/${hint}`, before, after }],
      },
    ];
  }
  return annotations.readOnlyHint === true && annotations.destructiveHint === true
    ? [toConflictObservation(name)]
    : [];
}

interface Contradiction {
  readonly level: 'warning' | 'error';
  readonly hint: 'readOnlyHint' | 'destructiveHint';
  readonly why: string;
  readonly after: boolean;
}

function findContradiction(
  { verb, kind }: NamedAction,
  annotations: ToolAnnotations,
  name: string,
): Contradiction | undefined {
  if (annotations.readOnlyHint === true && (kind === 'delete' || WRITE_VERBS.has(verb)))
    return { level: 'error', hint: 'readOnlyHint', why: `the name says "${verb}"`, after: false };
  if (annotations.destructiveHint === false && annotations.readOnlyHint !== true && isDelete(verb))
    return { level: 'warning', hint: 'destructiveHint', why: `the name says "${verb}"`, after: true };
  if (annotations.destructiveHint === true && isReadOnlyName(verb, name))
    return {
      level: 'warning',
      hint: 'destructiveHint',
      why: `the name says "${verb}", which destroys nothing`,
      after: false,
    };
  return undefined;
}

/** `clear_filter` and `remove_highlight` destroy nothing; these do. */
const isDelete = (verb: string): boolean =>
  ['delete', 'destroy', 'purge', 'erase', 'wipe', 'drop', 'truncate'].includes(verb);

/** `get_or_create` and `find_and_replace` do more than their first word says. */
const isReadOnlyName = (verb: string, name: string): boolean =>
  READ_ONLY_VERBS.has(verb) && !nameWords(name).some((word) => word === 'or' || word === 'and');

function toConflictObservation(name: string): Observation {
  return {
    tool: name,
    level: 'warning',
    finding: `"${name}" has \`readOnlyHint: true\` and \`destructiveHint: true\`: one of them is wrong.`,
    counts: {},
    names: { hint: ['readOnlyHint', 'destructiveHint'] },
    suggestion: 'Keep the one that is true.',
    edits: [{ tool: name, pointer: '/annotations/destructiveHint', before: true, after: false }],
  };
}

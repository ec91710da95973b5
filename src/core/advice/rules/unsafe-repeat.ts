// TD021: a tool that writes one more each time, and says nothing of what a repeat does. Agents retry: after a time-out,
// after a lost answer, after a compaction of their memory.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { nameWords, withoutPrefix } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf, createsDuplicate, dispatchesMoneyOrMessage, MACHINE_INPUT, objectOf } from '../verbs.ts';

const IDEMPOTENCY_KEY_NAMES =
  /^(?:idempotency|idempotent|dedup(?:e|lication)?|request|client request|client token)(?: key| id| token)?$/;
const REPEAT_PHRASES =
  /\bidempoten|\bduplicat|\balready\b|\bif (?:it|one|the \w+) (?:does not|doesn't) exists?\b|\bif not exists\b|\bretr(?:y|ies|ied)\b|\brepeat|\btwice\b|\bonly once\b|\bupsert|\bcreates? or updates?\b|\boverwrit|\breplac(?:e|es|ing) (?:the|any|an? )|\b(?:must be|is) unique\b|\beach call\b|\bsafe to call\b/i;
const UPSERT_WORDS = /^(?:or|upsert|ensure|update|replace)$/;
/** What is there or is not, however often it was added or made. */
const UNIQUE_OBJECTS =
  /^(?:reaction|label|tag|member|collaborator|assignee|reviewer|participant|attendee|guest|star|watcher|subscriber|follower|role|permission|favou?rite|bookmark|cookie|header|listener|breakpoint|index|directory|folder|branch|table|database|bucket|namespace)(?:e?s)?$/;
/** Required together, they are what a second one collides with: a merge of the same two branches is asked for once. */
const NATURAL_KEY_PAIRS: readonly (readonly [string, string])[] = [
  ['head', 'base'],
  ['source branch', 'target branch'],
  ['from branch', 'to branch'],
  ['base', 'branch'],
];

/** Required arguments under which only one can exist: a second is refused, not made. */
const NATURAL_KEYS = /^(?:(?:\w+ )?name|(?:\w+ )?path|filename|slug|branch|key|id|email|username)$/;

export const unsafeRepeat: StaticRule = {
  id: 'TD021',
  level: 'note',
  title: 'Repeated writes not documented',
  condition:
    'The name says that each call creates, adds or sends one more of what piles up (a comment, an order; not a label, a link or a member); there is no `idempotency_key`, no natural key, no `idempotentHint`, and no word about repeats. A warning where money or messages leave, whatever the verb (`create_payment_intent`, `charge_card`).',
  disprovedBy: 'A second call with the same arguments changes nothing, or is refused.',
  check: (tools) => {
    const names = tools.map(({ name }) => name);
    return tools.filter((tool) => isUndocumentedRepeat(tool, names)).map(toObservation);
  },
};

/** Whether the name says that each call leaves one more behind, and nothing says what a repeat does. */
function isUndocumentedRepeat(tool: ToolDefinition, siblings: readonly string[]): boolean {
  return (
    isRepeatingWrite(tool, siblings) &&
    createsDuplicate(tool.name, actionOf(tool.name)?.verb ?? '') &&
    !linksExistingObject(tool) &&
    tool.annotations?.idempotentHint === undefined &&
    !REPEAT_PHRASES.test(tool.description ?? '')
  );
}

/**
 * Whether each call writes once more, as far as name, annotations and arguments tell.
 * @param siblings names of all tools of the server: a word before all of them is no object
 */
export function isRepeatingWrite(tool: ToolDefinition, siblings: readonly string[]): boolean {
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  if (readOnlyHint === true || idempotentHint === true) return false;
  // A verb that many names begin with is no prefix.
  const isVerbFirst = actionOf(nameWords(tool.name)[0] ?? '') !== undefined;
  const action = actionOf(isVerbFirst ? tool.name : withoutPrefix(tool.name, siblings));
  if (!action?.hasObject) return false;
  if (action.kind !== 'create' && !dispatchesMoneyOrMessage(tool.name)) return false;
  return !isUniqueByName(tool.name, action.verb) && !isUniqueByArguments(tool, action.verb);
}

/** The name says that a second call replaces the first, or has no recipient. */
function isUniqueByName(name: string, verb: string): boolean {
  const words = nameWords(name);
  const object = objectOf(words, verb);
  if (words.some((word) => UPSERT_WORDS.test(word))) return true;
  if (verb === 'send' && MACHINE_INPUT.test(object)) return true;
  return !dispatchesMoneyOrMessage(name) && UNIQUE_OBJECTS.test(object);
}

/** Its arguments name the request, or the one thing there can be of them. */
function isUniqueByArguments(tool: ToolDefinition, verb: string): boolean {
  const top = topLevelArguments(tool);
  if (top.some(({ words }) => IDEMPOTENCY_KEY_NAMES.test(words))) return true;
  const required = new Set(top.filter((one) => one.required).map(({ words }) => words));
  if (NATURAL_KEY_PAIRS.some((pair) => pair.every((name) => required.has(name)))) return true;
  const own = `${nameWords(tool.name).at(-1)} id`;
  // The address of a payment or a message is no key: a second one goes there too.
  if (dispatchesMoneyOrMessage(tool.name)) return required.has(own);
  return verb === 'create' && [...required].some((name) => isNaturalKey(name, tool.name));
}

/** Those at the top, and those of an object at the top that has to be sent: the `body` of a REST interface. */
function topLevelArguments(tool: ToolDefinition) {
  const all = declaredArguments(tool);
  const bodies = new Set(
    all.filter(({ depth, required }) => depth === 0 && required).map(({ path }) => path),
  );
  return all
    .filter(({ depth, path }) => depth === 0 || (depth === 1 && bodies.has(path.split('.')[0] ?? '')))
    .map(({ name, required }) => ({ words: nameWords(name).join(' '), required }));
}

/** What is added or sent was there before, as its own id is asked for: `task_id` of `add_task_to_section`. */
function linksExistingObject(tool: ToolDefinition): boolean {
  const { verb = '' } = actionOf(tool.name) ?? {};
  const object = objectOf(nameWords(tool.name), verb);
  if ((verb !== 'add' && verb !== 'send') || object === '') return false;
  const own = new RegExp(`^${object}s? (?:id|ids|gid|uuid|key)$`);
  return topLevelArguments(tool).some(({ words, required }) => required && own.test(words));
}

/** A path, or the id of the very thing that is made: `transaction_id` of `create_transaction`. */
function isNaturalKey(argument: string, tool: string): boolean {
  return NATURAL_KEYS.test(argument) || argument === `${nameWords(tool).at(-1)} id`;
}

function toObservation({ name, description = '' }: ToolDefinition) {
  const { verb = '' } = actionOf(name) ?? {};
  return {
    tool: name,
    level: dispatchesMoneyOrMessage(name) ? ('warning' as const) : ('note' as const),
    finding: `By its name each call of "${name}" leaves one more behind, and neither an argument nor the description says what a retry with the same arguments does.`,
    counts: {},
    names: { verb: [verb] },
    suggestion:
      'Accept an `idempotency_key`, or state that the tool is not idempotent, and set `idempotentHint`.',
    edits: [
      {
        tool: name,
        pointer: '/inputSchema/properties/idempotency_key',
        after: {
          type: 'string',
          description: 'Two calls with the same key have one effect; use a new key for each intent.',
        },
      },
      {
        tool: name,
        pointer: '/description',
        before: description,
        after: `${description.trim().replace(/\.?$/, '.')} Not idempotent: each call does it again.`,
      },
      { tool: name, pointer: '/annotations/idempotentHint', after: false },
    ],
  };
}

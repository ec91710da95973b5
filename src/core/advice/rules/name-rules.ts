// Rules about names: TD001, a name that would fit any tool of any server, and TD002, a name without a verb.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { stem } from '../description-words.ts';
import { formatNounCount } from '../format-counts.ts';
import { nameStyle, nameWords, spellName, withoutPrefix, wordSet } from '../name-words.ts';
import { isPlainNoun } from '../nouns.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf, type NamedAction } from '../verbs.ts';

const MIN_SIBLINGS = 4;
const MIN_SHARE_WITH_VERB = 0.8;
/** Names without a verb whose tools read, before that is how this server names what it reads. */
const MIN_HABIT_NAMES = 2;

export const nameWithoutVerb: StaticRule = {
  id: 'TD002',
  level: 'note',
  title: 'Name without a verb',
  condition: `The name has no verb and ends in a noun, its description begins with the verb that it leaves out, and at least ${100 * MIN_SHARE_WITH_VERB} % of its siblings begin with one; where it only reads, it is the only such name, and not of one word.`,
  disprovedBy: 'The name holds a verb that this rule does not know.',
  check: (tools) => {
    const names = tools.map(({ name }) => name);
    const withVerb = tools.filter(({ name }) => beginsWithVerb(name, names));
    const isStyle = withVerb.length >= MIN_SIBLINGS && withVerb.length >= MIN_SHARE_WITH_VERB * tools.length;
    if (!isStyle) return [];
    const found = tools.flatMap((tool) => {
      const action = findOmittedVerb(tool);
      return action === undefined ? [] : [{ tool, action, reads: action.kind === 'read' }];
    });
    const isHabit = found.filter(({ reads }) => reads).length >= MIN_HABIT_NAMES;
    return found
      .filter(
        ({ tool, reads }) => !reads || (!isHabit && nameWords(withoutPrefix(tool.name, names)).length > 1),
      )
      .map(({ tool, action }) => toObservation(tool.name, { verb: action.verb, siblings: withVerb }));
  },
};

/** With or without the prefix of its server. */
function beginsWithVerb(name: string, siblings: readonly string[]): boolean {
  return [name, withoutPrefix(name, siblings)].some((one) => actionOf(nameWords(one)[0] ?? '') !== undefined);
}

/** Several verbs at the head of a description: which one happens is an argument's matter, and the name rightly has none. */
const SEVERAL_VERBS = /^[a-z]+(?:\s*[,/&]|\s+(?:and|or)\s)/i;

/** What the description begins with and the name leaves out; verbs that say little of what happens (`run`, `manage`) do not count. */
function findOmittedVerb({ name, description = '' }: ToolDefinition): NamedAction | undefined {
  const words = nameWords(name);
  const last = words.at(-1) ?? '';
  if (actionOf(name) !== undefined || !isPlainNoun(last) || SEVERAL_VERBS.test(description.trim()))
    return undefined;
  const [firstWord = ''] = /^[a-z]+(?=\s)/i.exec(description.trim()) ?? [];
  const action = actionOf(firstWord);
  if (action === undefined || action.kind === 'act') return undefined;
  const verb = baseForm(action.verb);
  return words.some((word) => shareRoot(word, verb)) ? undefined : { ...action, verb };
}

const baseForm = (verb: string): string =>
  [verb, verb.replace(/s$/, ''), verb.replace(/es$/, ''), verb.replace(/ies$/, 'y')].findLast(
    (form) => actionOf(form) !== undefined && form.length < verb.length,
  ) ?? verb;

/** `verification` and `verify`: as many letters in common as a root has. */
const shareRoot = (word: string, verb: string): boolean =>
  word.startsWith(verb.slice(0, Math.max(3, Math.min(5, verb.length - 1))));

interface OmittedVerb {
  readonly verb: string;
  readonly siblings: readonly ToolDefinition[];
}

function toObservation(name: string, { verb, siblings }: OmittedVerb) {
  const names = siblings.map((sibling) => sibling.name);
  return {
    tool: name,
    finding: `"${name}" names a thing and leaves out "${verb}", with which its description begins; ${formatNounCount(names.length, 'other tool')} of this server begin with their verb, such as "${names[0]}".`,
    counts: { toolsWithVerb: names.length },
    names: { verb: [verb], toolsWithVerb: names.slice(0, 5) },
    suggestion: 'Put the action into the name, as its siblings do.',
    edits: [
      {
        tool: name,
        pointer: '/name',
        before: name,
        after: spellName([verb, ...nameWords(name)], nameStyle(name)),
      },
    ],
  };
}

const MAX_WORDS = 2;
const GENERIC_WORDS =
  wordSet(`run execute exec do process handle call invoke perform action actions tool tools function operation data get
   set update manage info thing item items object main test debug helper util misc api request input output task job my
   new generic default custom common use work stuff service`);

/** Those of them that can be a server's subject. */
const SUBJECT_STEMS: ReadonlySet<string> = new Set(
  ['task', 'job', 'item', 'action', 'object', 'tool', 'function', 'service', 'operation', 'request'].map(
    stem,
  ),
);

export const genericName: StaticRule = {
  id: 'TD001',
  level: 'warning',
  title: 'Generic name',
  condition:
    'The one or two words of the name fit any tool (`execute`, `process_data`, `tool1`), and no other tool of the server is about the same noun.',
  disprovedBy: 'Agents that have other servers beside this one choose it for the right tasks, and no other.',
  check: (tools) =>
    tools
      .filter(({ name }) => isGenericName(name) && !sharesServerSubject(name, tools))
      .map(({ name }) => ({
        tool: name,
        finding: `The name "${name}" says neither what is done nor to what; beside other servers' tools an agent has only the description to go by.`,
        counts: {},
        names: { words: nameWords(name) },
        suggestion: 'Name the action and its object, as in `search_orders` or `refund_payment`.',
        edits: [{ tool: name, pointer: '/name', before: name, after: '<verb>_<object>' }],
      })),
};

/** Tools of one server that name the same noun, before it is what that server is about. */
const MIN_TOOLS_OF_SUBJECT = 2;

function sharesServerSubject(name: string, tools: readonly ToolDefinition[]): boolean {
  const words = new Set(nameWords(name).map(stem));
  if (words.size < 2) return isSiblingNoun(name, tools);
  const shared = (noun: string) =>
    tools.filter((other) => nameWords(other.name).map(stem).includes(noun)).length;
  return [...words].some((word) => SUBJECT_STEMS.has(word) && shared(word) >= MIN_TOOLS_OF_SUBJECT);
}

/** `service` beside `database` and `application`: the server has one tool for each thing. */
function isSiblingNoun(name: string, tools: readonly ToolDefinition[]): boolean {
  const isNoun = (one: string) => nameWords(one).length === 1 && actionOf(one) === undefined;
  const others = tools.filter(
    (other) => other.name !== name && isNoun(other.name) && !isGenericName(other.name),
  );
  return (
    isNoun(name) && SUBJECT_STEMS.has(stem(nameWords(name)[0] ?? '')) && others.length >= MIN_TOOLS_OF_SUBJECT
  );
}

function isGenericName(name: string): boolean {
  const words = nameWords(name).map((word) => word.replace(/\d+$/, ''));
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    words.every((word) => word === '' || GENERIC_WORDS.has(word))
  );
}

// TD002: a name that tells the thing and not what happens to it, where the server's other names do tell. No list has every verb, so
// three things have to agree: the name ends in a noun that nobody takes for a verb, the tool's own description says which one
// it leaves out, and the siblings begin with theirs. A thing is read by whoever only names it, so several names without a verb
// that read are a habit of that server, and a word alone (`status`) is a custom of all of them.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { formatNounCount } from '../format-counts.ts';
import { nameStyle, nameWords, spellName, withoutPrefix } from '../name-words.ts';
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
    evidence: {
      counts: { toolsWithVerb: names.length },
      names: { verb: [verb], toolsWithVerb: names.slice(0, 5) },
    },
    suggestion: {
      text: 'Put the action into the name, as its siblings do.',
      edits: [
        {
          tool: name,
          pointer: '/name',
          before: name,
          after: spellName([verb, ...nameWords(name)], nameStyle(name)),
        },
      ],
    },
  };
}

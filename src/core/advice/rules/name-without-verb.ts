// TD002: a name that tells the thing and not what happens to it, where the server's other names do tell. No list has every verb, so
// the tool's own description has to say which one the name leaves out. A server that names things throughout has a style, and
// is left alone; so is a name with a word of the same root (`id_verification`, "Verifies …").

import type { ToolDefinition } from '../../model/catalogue.ts';
import { nameStyle, nameWords, spellName, withoutPrefix } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';
import { countOf } from '../wording.ts';

const FEWEST_SIBLINGS = 3;
const SHARE_WITH_VERB = 0.75;

export const nameWithoutVerb: StaticRule = {
  id: 'TD002',
  level: 'note',
  title: 'Name without a verb',
  condition:
    'The name has no verb, its description begins with one that the name leaves out, and at least three quarters of its siblings have one.',
  disprovedBy: 'The name holds a verb that this rule does not know.',
  check: (tools) => {
    const names = tools.map(({ name }) => name);
    const withVerb = tools.filter(({ name }) => isVerbSure(name, names));
    const isStyle = withVerb.length >= FEWEST_SIBLINGS && withVerb.length >= SHARE_WITH_VERB * tools.length;
    if (!isStyle) return [];
    return tools.flatMap((tool) => {
      const verb = leftOut(tool);
      return verb === undefined ? [] : [observe(tool.name, { verb, siblings: withVerb })];
    });
  },
};

/** In `weather_forecast` the last word is a noun as well: nothing of that server's style follows from it. */
function isVerbSure(name: string, siblings: readonly string[]): boolean {
  const action = actionOf(name);
  if (action === undefined || action.kind !== 'act') return action !== undefined;
  return [name, withoutPrefix(name, siblings)].some((one) => nameWords(one)[0] === action.verb);
}

/** They begin a sentence about the tool and not about what it does. */
const NO_ACTION: ReadonlySet<string> = new Set(['use', 'return', 'help', 'can', 'try']);

/** The verb that the description begins with, where the name has none. */
function leftOut({ name, description = '' }: ToolDefinition): string | undefined {
  const words = nameWords(name);
  if (actionOf(name) !== undefined || !words.every((word) => /^[a-z]{2,}\d*$/.test(word))) return undefined;
  const [said = ''] = /^[a-z]+/i.exec(description.trim()) ?? [];
  const verb = actionOf(said)?.verb;
  if (verb === undefined || words.some((word) => haveOneRoot(word, verb))) return undefined;
  const base = baseOf(verb);
  return NO_ACTION.has(base) ? undefined : base;
}

const baseOf = (verb: string): string =>
  [verb, verb.replace(/s$/, ''), verb.replace(/es$/, ''), verb.replace(/ies$/, 'y')].findLast(
    (form) => actionOf(form) !== undefined && form.length < verb.length,
  ) ?? verb;

/** `verification` and `verifies`: as many letters in common as a root has. */
function haveOneRoot(word: string, verb: string): boolean {
  const root = baseOf(verb).slice(0, Math.max(3, Math.min(5, baseOf(verb).length - 1)));
  return word.startsWith(root);
}

interface Observed {
  readonly verb: string;
  readonly siblings: readonly ToolDefinition[];
}

function observe(name: string, { verb, siblings }: Observed) {
  const names = siblings.map((sibling) => sibling.name);
  return {
    tool: name,
    finding: `"${name}" names a thing and leaves out "${verb}", with which its description begins; ${countOf(names.length, 'other tool')} of this server say it, such as "${names[0]}".`,
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

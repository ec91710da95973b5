// TD002: a name that tells the thing and not what happens to it, where the server's other names do tell. A server that
// names things throughout has a style, and is left alone; so is a name whose last word is made of a verb (`summarizer`).

import type { ToolDefinition } from '../../model/catalogue.ts';
import { stem } from '../description-words.ts';
import { nameWords } from '../name-words.ts';
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
    'The name has no verb that we know or that its description begins with, while at least three quarters of its siblings have one.',
  disprovedBy: 'The name holds a verb that this rule does not know.',
  check: (tools) => {
    const withVerb = tools.filter(({ name }) => actionOf(name) !== undefined);
    const without = tools.filter((tool) => !saysWhat(tool) && isEnglish(tool.name));
    const isStyle = withVerb.length >= FEWEST_SIBLINGS && withVerb.length >= SHARE_WITH_VERB * tools.length;
    return isStyle ? without.map(({ name }) => observe(name, withVerb)) : [];
  },
};

/** Not every `-er` is one: a header, a server and a browser do nothing that their name says. */
const DOER =
  /(?:i[sz]|y[sz]|at)(?:er|or)$|^(?:finder|checker|converter|parser|reader|writer|fetcher|searcher|builder|linter|formatter|loader)$/;

function saysWhat({ name, description = '' }: ToolDefinition): boolean {
  const words = nameWords(name);
  if (actionOf(name) !== undefined || DOER.test(words.at(-1) ?? '')) return true;
  const own = new Set(words.map(stem));
  const isOwn = (said: string): boolean => {
    const stems = nameWords(said).map(stem);
    return stems.length > 0 && stems.every((word) => own.has(word));
  };
  const [first = '', second = ''] = description.trim().split(/\s+/, 2);
  // "Sanitize the rows" of `sanitize_rows`, and not "Directory tree of" of `directory_tree`.
  return isOwn(first) && !isOwn(second);
}

const isEnglish = (name: string): boolean => nameWords(name).every((word) => /^[a-z]{2,}\d*$/.test(word));

function observe(name: string, siblings: readonly ToolDefinition[]) {
  const names = siblings.map((sibling) => sibling.name);
  return {
    tool: name,
    finding: `"${name}" names a thing, not what is done with it; ${countOf(names.length, 'other tool')} of this server say it, such as "${names[0]}".`,
    evidence: { counts: { toolsWithVerb: names.length }, names: { toolsWithVerb: names.slice(0, 5) } },
    suggestion: {
      text: 'Put the action into the name, as its siblings do.',
      edits: [
        {
          tool: name,
          pointer: '/name',
          before: name,
          after: `<verb>_${nameWords(name).slice(-2).join('_')}`,
        },
      ],
    },
  };
}

// TD001: a name that would fit any tool of any server. A bare verb that says enough by itself (`search`, `fetch`, `click`)
// is none, of three such words two make a thing (`get_debug_output`), and a noun that a server has several tools for is its
// subject: the jobs of a queue, the items of a tracker.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { stem } from '../description-words.ts';
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

const MAX_WORDS = 2;
const GENERIC_WORDS: ReadonlySet<string> = new Set(
  `run execute exec do process handle call invoke perform action actions tool tools function operation data get
   set update manage info thing item items object main test debug helper util misc api request input output task job my
   new generic default custom common use work stuff service`.split(/\s+/),
);

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
    'The one or two words of the name would fit any tool (`execute`, `process_data`, `tool1`), and no other tool of the server is about the same noun.',
  disprovedBy: 'Agents that have other servers beside this one choose it for the right tasks, and no other.',
  check: (tools) =>
    tools
      .filter(({ name }) => isGeneric(name) && !sharesServerSubject(name, tools))
      .map(({ name }) => ({
        tool: name,
        finding: `The name "${name}" says neither what is done nor to what; beside other servers' tools an agent has only the description to go by.`,
        evidence: { counts: {}, names: { words: nameWords(name) } },
        suggestion: {
          text: 'Name the action and its object, as in `search_orders` or `refund_payment`.',
          edits: [{ tool: name, pointer: '/name', before: name, after: '<verb>_<object>' }],
        },
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
  const others = tools.filter((other) => other.name !== name && isNoun(other.name) && !isGeneric(other.name));
  return (
    isNoun(name) && SUBJECT_STEMS.has(stem(nameWords(name)[0] ?? '')) && others.length >= MIN_TOOLS_OF_SUBJECT
  );
}

function isGeneric(name: string): boolean {
  const words = nameWords(name).map((word) => word.replace(/\d+$/, ''));
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    words.every((word) => word === '' || GENERIC_WORDS.has(word))
  );
}

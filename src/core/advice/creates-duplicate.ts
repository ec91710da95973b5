// Whether a repeated call leaves one more of something behind, as far as a name tells. Wary: only what is known to pile up is
// told to. An invitation, a link or a project of a name may be refused the second time, and a draft is gone once it is sent.

import { nameWords } from './name-words.ts';
import { isAccumulatingNoun, isUniqueNoun } from './nouns.ts';

/** Whatever they are done to, it is done again. */
const ALWAYS_DUPLICATING_VERBS: ReadonlySet<string> = new Set(
  'pay charge refund purchase buy comment reply append insert send'.split(' '),
);
/** Sent to a machine that is at hand, and to nobody. */
export const MACHINE_INPUT =
  /^(?:key|keystroke|keypress|input|signal|command|cmd|request|click|tap|event|query|prompt|code|data|gcode|sequence|terminal)s?$/;
/** What is sent or published is used up; what ties two things together is there or is not. */
const CONSUMED_OBJECTS = /^(?:drafts?|scheduled|pending|related|linked|existing|reference)$/;
/** Between the thing and the place it goes to. */
const PREPOSITION = /^(?:to|in|into|on|onto|at|for|from|with|by|of|as|via)$/;

/**
 * Whether doing it again leaves one more behind.
 * @param words of the name, in lower case
 * @param verb the one that {@link actionOf} found in it
 */
export function createsDuplicate(name: string, verb: string): boolean {
  const words = nameWords(name);
  const object = objectOf(words, verb);
  if (isUniqueNoun(object)) return false;
  if (verb !== 'create' && words.some((word) => CONSUMED_OBJECTS.test(word))) return false;
  if (verb === 'send') return !MACHINE_INPUT.test(object);
  return ALWAYS_DUPLICATING_VERBS.has(verb) || isAccumulatingNoun(object);
}

/** `comment` of `add_comment_to_issue` and of `issue_comment_add`; empty where the name has none. */
export function objectOf(words: readonly string[], verb: string): string {
  const after = words.slice(words.indexOf(verb) + 1);
  const end = after.findIndex((word) => PREPOSITION.test(word));
  const behind = (end < 0 ? after : after.slice(0, end)).filter((word) => !/^v\d+$/.test(word));
  return behind.at(-1) ?? words[words.indexOf(verb) - 1] ?? '';
}

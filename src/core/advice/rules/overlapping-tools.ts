// TD006: two tools an agent cannot tell apart by their words. Not every family of tools is one: `delete_relation` and
// `delete_entity` differ in the word that matters, a description that names the other tool draws the line, and so does an
// argument that only one of them demands and speaks of: `pods_list_in_namespace`.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { declaredArguments } from '../declared-arguments.ts';
import { isDeprecated, jaccardSimilarity, stem, subjectWords } from '../description-words.ts';
import { nameWords } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

/** Share of the descriptions' subject words that both have. */
const MIN_SIMILARITY = 0.7;
const MIN_NEAR_EQUALITY = 0.9;
/** Fewer subject words say too little to be alike. */
const MIN_SUBJECT_WORDS = 4;

export const overlappingTools: StaticRule = {
  id: 'TD006',
  level: 'note',
  title: 'Two tools with similar descriptions',
  condition: `Two descriptions share at least ${100 * MIN_SIMILARITY} % of their words of substance (a warning: ${100 * MIN_NEAR_EQUALITY} % of all words), the arguments largely too, the verbs are the same or synonyms, neither name has a word that only its own description explains, neither names the other tool, and neither requires an argument it speaks of that the other lacks.`,
  disprovedBy: 'Agents do not switch from one to the other and then succeed.',
  check: (tools) =>
    pairsOf(tools.filter((tool) => !isDeprecated(tool))).flatMap(([one, other]) => compare(one, other)),
};

function pairsOf(tools: readonly ToolDefinition[]): [ToolDefinition, ToolDefinition][] {
  return tools.flatMap((one, at) =>
    tools.slice(at + 1).map((other): [ToolDefinition, ToolDefinition] => [one, other]),
  );
}

function compare(one: ToolDefinition, other: ToolDefinition) {
  if (!haveSameAction(one.name, other.name)) return [];
  const words = [subjectWords(one.description ?? ''), subjectWords(other.description ?? '')] as const;
  const alike = jaccardSimilarity(...words);
  const tooFew = Math.min(words[0].size, words[1].size) < MIN_SUBJECT_WORDS;
  if (
    tooFew ||
    alike < MIN_SIMILARITY ||
    !haveSimilarArguments(one, other) ||
    mentionsTool(one, other) ||
    mentionsTool(other, one)
  )
    return [];
  if (differInObject(one, other, words) || isDistinguishedByName(one, other, words)) return [];
  if (requiresExtraArgument(one, other) || requiresExtraArgument(other, one)) return [];
  const percent = Math.round(100 * alike);
  return [
    {
      tool: one.name,
      level: isNearlyEqual(one, other) ? ('warning' as const) : ('note' as const),
      finding: `The descriptions of "${one.name}" and "${other.name}" share ${percent} % of their words of substance, and neither says when to use the other.`,
      counts: { sharedWordsPercent: percent },
      names: { tools: [one.name, other.name] },
      suggestion: `Say in each when to use the other one instead, or merge them.`,
      edits: [one, other].map((tool) => ({
        tool: tool.name,
        pointer: '/description',
        before: tool.description,
        after: `${tool.description?.trim().replace(/\.?$/, '.')} Use ${(tool === one ? other : one).name} instead when <…>.`,
      })),
    },
  ];
}

function haveSimilarArguments(one: ToolDefinition, other: ToolDefinition): boolean {
  const [mine, theirs] = [one, other].map(
    (tool) =>
      new Set(
        declaredArguments(tool)
          .filter(({ depth }) => depth === 0)
          .map(({ name }) => name),
      ),
  );
  if (mine === undefined || theirs === undefined) return false;
  return (mine.size === 0 && theirs.size === 0) || jaccardSimilarity(mine, theirs) >= 0.5;
}

/** However the name is spelled there: `search-orders`, `searchOrders`. */
const mentionsTool = (from: ToolDefinition, to: ToolDefinition): boolean =>
  normaliseName(from.description ?? '').includes(normaliseName(to.name));

const normaliseName = (text: string): string => text.toLowerCase().replace(/[-_]/g, '');

/** Every verb is its own meaning but for these. */
const VERB_SYNONYMS: readonly (readonly string[])[] = [
  ['get', 'fetch', 'retrieve', 'read', 'show', 'view', 'describe', 'load'],
  ['search', 'find', 'query', 'lookup', 'browse', 'grep'],
  ['create', 'add', 'new', 'make', 'insert'],
  ['update', 'edit', 'modify', 'change', 'set', 'patch'],
  ['delete', 'remove', 'drop'],
  ['run', 'execute', 'exec', 'start', 'launch'],
];

/** Opposites have similar descriptions and are not confused: `resources_get`, `resources_delete`. */
function haveSameAction(one: string, other: string): boolean {
  const [mine, theirs] = [actionOf(one)?.verb, actionOf(other)?.verb];
  if (mine === undefined || theirs === undefined || mine === theirs) return true;
  return VERB_SYNONYMS.some((group) => group.includes(mine) && group.includes(theirs));
}

function isNearlyEqual(one: ToolDefinition, other: ToolDefinition): boolean {
  const [mine, theirs] = [one, other].map(({ description = '' }) => new Set(nameWords(description)));
  return mine !== undefined && theirs !== undefined && jaccardSimilarity(mine, theirs) >= MIN_NEAR_EQUALITY;
}

/** It requires an argument that the other does not take, and says so in its own words. */
function requiresExtraArgument(one: ToolDefinition, other: ToolDefinition): boolean {
  const taken = new Set(declaredArguments(other).map(({ name }) => name));
  const mentionedWords = subjectWords(`${nameWords(one.name).join(' ')} ${one.description ?? ''}`);
  return declaredArguments(one).some(
    ({ name, required, depth }) =>
      depth === 0 &&
      required &&
      !taken.has(name) &&
      [...subjectWords(name)].some((word) => mentionedWords.has(word)),
  );
}

/** `list_tags` and `list_document_types`: no word of the one's object is in the other's, and each speaks of its own. */
function differInObject(
  one: ToolDefinition,
  other: ToolDefinition,
  [mine, theirs]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): boolean {
  const objects = [one, other].map(({ name }) => {
    const verb = actionOf(name)?.verb;
    return subjectWords(
      nameWords(name)
        .filter((word) => word !== verb)
        .join(' '),
    );
  });
  const [own, others] = objects;
  if (own === undefined || others === undefined || own.size === 0 || others.size === 0) return false;
  return (
    jaccardSimilarity(own, others) === 0 &&
    [...own].every((word) => mine.has(word)) &&
    [...others].every((word) => theirs.has(word))
  );
}

/** The one has a word in its name, beside the verb, that its own description repeats and the other's whole text lacks: `list_branches`, `list_protected_branches`. */
function isDistinguishedByName(
  one: ToolDefinition,
  other: ToolDefinition,
  [mine, theirs]: readonly [ReadonlySet<string>, ReadonlySet<string>],
): boolean {
  const hasOwnWord = (tool: ToolDefinition, own: ReadonlySet<string>, strange: ReadonlySet<string>) =>
    [...subjectWords(nameWords(tool.name).join(' '))].some(
      (word) => own.has(word) && !strange.has(word) && word !== stem(actionOf(tool.name)?.verb ?? ''),
    );
  return hasOwnWord(one, mine, theirs) || hasOwnWord(other, theirs, mine);
}

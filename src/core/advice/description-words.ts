// Analyses the words of descriptions, in English only.

import type { ToolDefinition } from '../model/catalogue.ts';
import { nameWords, wordSet } from './name-words.ts';

/** Words without a subject. */
const STOP_WORDS =
  wordSet(`a an the this that these those it its of in on at to for from by with and or as is are be been was were will can may
   must your you our their his her any all some each every one more given specified specific particular provided
   new existing single various based using use used via into out up tool function method api call
   operation action endpoint helper utility performs perform does do executes execute allows allow lets let enables
   enable provides provide handles handle returns return gets get retrieves retrieve fetch fetches list lists details
   detail information info data result results about if when then there here which what`);

/** States when to use the tool, or when not. */
const USAGE_PHRASES =
  /\b(?:when(?:ever)?|instead|rather than|prefer|avoid|unless|except|only (?:if|for|when|works?|within|use)|do(?:es)? not|don't|can(?:no|')t|never|before|after|if (?:you|the|an?|no|not|it|there)|use (?:this|it|for|to|after|before|only|with)|used? (?:to|for|when)|useful|helpful|for example|e\.g\.|deprecated|requires?|first call|must call|without)\b/i;

/** States what it returns. */
const RESULT_PHRASES =
  /\b(?:returns?|returning|returned|results? (?:are|is|include|contain)|responds?|response|outputs?|yields?|gives? back|produces?|as (?:an? )?(?:\w+ )?(?:JSON|YAML|text|markdown|table|image|string|array|object|tree|list|base64)|(?:to|into) (?:\w+ )?(?:JSON|YAML|text|markdown|HTML|CSV)|an? (?:JSON|CSV|YAML|XML|PDF) file|including|includes?|contains?|summary of|with (?:their|its))\b/i;

interface DescriptionFeatures {
  readonly words: number;
  /** Written in Latin script; otherwise the fields below mean nothing. */
  readonly isLatinScript: boolean;
  readonly statesUsage: boolean;
  readonly statesResult: boolean;
}

export function analyseDescription(text: string): DescriptionFeatures {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return {
    words: text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length,
    isLatinScript: letters > 0 && latin / letters > 0.9,
    statesUsage: USAGE_PHRASES.test(text),
    statesResult: RESULT_PHRASES.test(text),
  };
}

/** Stems of the words with a subject. */
export function subjectWords(text: string): Set<string> {
  return new Set(
    nameWords(text)
      .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
      .map(stem),
  );
}

/** A simple stemmer: removes plural, third person, past and progressive endings. */
export function stem(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=\w{3})(?:ing|ed)$/, '')
    .replace(/(?<=\w{3})e$/, '');
}

/** Whether the definition says that the tool is deprecated. */
export function isDeprecated({ title = '', description = '', annotations }: ToolDefinition): boolean {
  const titles = `${title} ${annotations?.title ?? ''}`;
  return /\bdeprecated\b/i.test(titles) || /(?:^|[.!?\n[(*]\s*)\**deprecated\b/i.test(description);
}

/** Shared words over all words; 0 if both sets are empty. */
export function jaccardSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Minimum similarity of names or descriptions. */
const MIN_SIMILARITY = 0.5;

/**
 * @param others in order of preference; may contain the tool itself
 * @returns the name of the most similar tool, if any is similar
 */
export function findSimilarTool(tool: ToolDefinition, others: readonly ToolDefinition[]): string | undefined {
  let best: { readonly name: string; readonly alike: number } | undefined;
  for (const other of others) {
    if (other.name === tool.name) continue;
    const alike = toolSimilarity(tool, other);
    if (alike >= MIN_SIMILARITY && alike > (best?.alike ?? 0)) best = { name: other.name, alike };
  }
  return best?.name;
}

function toolSimilarity(one: ToolDefinition, other: ToolDefinition): number {
  const described = jaccardSimilarity(
    subjectWords(one.description ?? ''),
    subjectWords(other.description ?? ''),
  );
  return Math.max(described, jaccardSimilarity(new Set(nameWords(one.name)), new Set(nameWords(other.name))));
}

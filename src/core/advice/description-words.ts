// What a description says and what it leaves out, by its words. English only: of a description in another script nothing
// is concluded.

import type { ToolDefinition } from '../model/catalogue.ts';
import { nameWords } from './name-words.ts';

/** Words that carry no subject of their own. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those it its of in on at to for from by with and or as is are be been was were will can may
   must your you our their his her any all some each every one more given specified specific particular provided
   new existing single various based using use used via into out up tool function method api call
   operation action endpoint helper utility performs perform does do executes execute allows allow lets let enables
   enable provides provide handles handle returns return gets get retrieves retrieve fetch fetches list lists details
   detail information info data result results about if when then there here which what`.split(/\s+/),
);

/** It says when to use the tool, or when not to. */
const USAGE_PHRASES =
  /\b(?:when(?:ever)?|instead|rather than|prefer|avoid|unless|except|only (?:if|for|when|works?|within|use)|do(?:es)? not|don't|can(?:no|')t|never|before|after|if (?:you|the|an?|no|not|it|there)|use (?:this|it|for|to|after|before|only|with)|used? (?:to|for|when)|useful|helpful|for example|e\.g\.|deprecated|requires?|first call|must call|without)\b/i;

/** It says what comes back. */
const RESULT_PHRASES =
  /\b(?:returns?|returning|returned|results? (?:are|is|include|contain)|responds?|response|outputs?|yields?|gives? back|produces?|as (?:an? )?(?:\w+ )?(?:JSON|YAML|text|markdown|table|image|string|array|object|tree|list|base64)|(?:to|into) (?:\w+ )?(?:JSON|YAML|text|markdown|HTML|CSV)|an? (?:JSON|CSV|YAML|XML|PDF) file|including|includes?|contains?|summary of|with (?:their|its))\b/i;

interface DescriptionFeatures {
  readonly words: number;
  /** Written in Latin script, so that the three below mean something. */
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

/** Stems of the words that carry a subject. */
export function subjectWords(text: string): Set<string> {
  return new Set(
    nameWords(text)
      .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
      .map(stem),
  );
}

/** Crude on purpose: plural, third person, past and progressive fall together. */
export function stem(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=\w{3})(?:ing|ed)$/, '')
    .replace(/(?<=\w{3})e$/, '');
}

/** Whether the author marked a tool as not to be used any more. */
export function isDeprecated({ title = '', description = '' }: ToolDefinition): boolean {
  return /\bdeprecated\b/i.test(title) || /(?:^|[.!?\n[(*]\s*)\**deprecated\b/i.test(description);
}

/** How far two sets of words are the same: shared over all, 0 when both are empty. */
export function jaccardSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Of the words of names or of descriptions, before two are told to be similar. */
const MIN_SIMILARITY = 0.5;

/**
 * The tool most like a given one.
 * @param others in the order of preference, where several are equally alike; the tool itself may be among them
 * @returns its name, or undefined where none is alike
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

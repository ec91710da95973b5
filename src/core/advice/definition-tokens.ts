// What a definition costs in every listing. One estimate for the whole product: the never-called page divides the stored
// JSON's characters by the same four.

import type { ToolDefinition } from '../model/catalogue.ts';

/** What models take for a token of JSON and English, on average. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimated tokens of a text of that many characters (code points). */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Estimated tokens of a definition as JSON, as a client hands it to its model. */
export function definitionTokens(definition: ToolDefinition): number {
  return estimateTokens([...JSON.stringify(definition)].length);
}

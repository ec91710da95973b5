// Estimated tokens of a definition in a listing. The never-called page uses the same estimate.

import type { ToolDefinition } from '../model/catalogue.ts';

/** Average of JSON and English. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimated tokens of a text of that many characters (code points). */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Estimated tokens of a definition as JSON, as a client hands it to its model. */
export function definitionTokens(definition: ToolDefinition): number {
  return estimateTokens([...JSON.stringify(definition)].length);
}

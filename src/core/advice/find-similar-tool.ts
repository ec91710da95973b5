// Which tool of a server an agent would take another one for: by its name and its description. A tool that nobody calls is often
// one whose task another has taken.

import type { ToolDefinition } from '../model/catalogue.ts';
import { jaccardSimilarity, subjectWords } from './description-words.ts';
import { nameWords } from './name-words.ts';

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

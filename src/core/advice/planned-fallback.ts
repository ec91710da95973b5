// Not everything that is left for another tool was confused with it: an agent looks into a cache, nothing is there, and it fetches.
// That is a plan, and evidence tells it: the answer said that nothing was there, and either a description sends agents on, or the
// second call takes up nothing of the first.

import type { ToolDefinition } from '../model/catalogue.ts';
import type { ConfusionEvidence } from './tool-evidence.ts';

/**
 * Marks of an answer that nothing was there, for `match` in SQL and for RegExp alike. A code in capitals, and a message, masked or not.
 */
export const NOT_FOUND_CODE_PATTERN =
  '(^|_)(NOT_?FOUND|NO_(SUCH|RESULTS?|MATCH|MATCHES|DATA|ENTRY|ENTRIES|HITS?)|NOTHING|MISS|MISSED|EMPTY|ENOENT|NOT_CACHED|DOES_NOT_EXIST|404|410)($|_)';
export const NOT_FOUND_MESSAGE_PATTERN =
  '(?i)\\b(not found|not cached|not in (the )?cache|cache miss|no (results?|match(es)?|such|entry|entries|hits?)\\b|nothing (found|there|has|matches)|does not exist|is empty)';

/** What was left for one other tool, as it was counted: each pair is calls, and the sessions they are of. */
export interface ToolSwitches {
  readonly other: string;
  readonly all: CallCount;
  /** Without those whose answer said that nothing was there. */
  readonly exceptNotFound: CallCount;
  /** Without those of them that the next call took no argument of. */
  readonly exceptUnrelated: CallCount;
}

interface CallCount {
  readonly calls: number;
  readonly sessions: number;
}

/** @returns what of it may be a confusion; undefined where all of it was planned */
export function toConfusionEvidence(
  { other, all, exceptNotFound, exceptUnrelated }: ToolSwitches,
  { tool, tools }: { readonly tool: string; readonly tools: readonly ToolDefinition[] },
): ConfusionEvidence | undefined {
  const [one, next] = [tool, other].map((name) => tools.find((definition) => definition.name === name));
  const isDocumented = refersTo(one, other) || refersTo(next, tool);
  const left = isDocumented ? exceptNotFound : exceptUnrelated;
  if (left.calls === 0) return undefined;
  return { other, ...left, planned: all.calls - left.calls };
}

/** It speaks of what comes after the other, or without it: "if it is not cached, use fetch_url", "call read_cache first". */
const FALLBACK_WORDS =
  /\b(?:not|no|nothing|miss(?:es|ing)?|empty|fails?|otherwise|else|fall(?:s|ing)?[ -]?back|fallback|first|after|before|then)\b/i;

function refersTo(definition: ToolDefinition | undefined, other: string): boolean {
  const sentences = (definition?.description ?? '').split(/(?<=[.!?])\s+|\n+/);
  const name = new RegExp(`(?<![\\w-])${other.replace(/[^\w]/g, '\\$&')}(?![\\w-])`, 'i');
  return sentences.some((sentence) => name.test(sentence) && FALLBACK_WORDS.test(sentence));
}

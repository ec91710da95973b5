// Distinguishes a planned fallback from a confusion of tools: an agent reads a cache, finds nothing, and fetches. It is planned
// if the answer says that nothing was found, and a description refers to the other tool or the second call shares no argument.

import type { ToolDefinition } from '../model/catalogue.ts';
import type { ConfusionEvidence } from './tool-evidence.ts';

/** Patterns of a "not found" code or message, for `match` in SQL and for RegExp. */
export const NOT_FOUND_CODE_PATTERN =
  '(^|_)(NOT_?FOUND|NO_(SUCH|RESULTS?|MATCH|MATCHES|DATA|ENTRY|ENTRIES|HITS?)|NOTHING|MISS|MISSED|EMPTY|ENOENT|NOT_CACHED|DOES_NOT_EXIST|404|410)($|_)';
export const NOT_FOUND_MESSAGE_PATTERN =
  '(?i)\\b(not found|not cached|not in (the )?cache|cache miss|no (results?|match(es)?|such|entry|entries|hits?)\\b|nothing (found|there|has|matches)|does not exist|is empty)';

/** Calls after which the agent switched to one other tool, with their sessions. */
export interface ToolSwitches {
  readonly other: string;
  readonly all: CallCount;
  /** Except "not found" answers. */
  readonly exceptNotFound: CallCount;
  /** Except those whose next call shares no argument. */
  readonly exceptUnrelated: CallCount;
}

interface CallCount {
  readonly calls: number;
  readonly sessions: number;
}

/** @returns undefined if all switches were planned */
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

/** Words for what follows another tool: "if it is not cached, use fetch_url", "call read_cache first". */
const FALLBACK_WORDS =
  /\b(?:not|no|nothing|miss(?:es|ing)?|empty|fails?|otherwise|else|fall(?:s|ing)?[ -]?back|fallback|first|after|before|then)\b/i;

function refersTo(definition: ToolDefinition | undefined, other: string): boolean {
  return listReferredNames(definition?.description ?? '').has(other);
}

/** Words of sentences about what follows a tool; names of tools among them are where agents are sent. */
function listReferredNames(description: string): ReadonlySet<string> {
  const sentences = description
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => FALLBACK_WORDS.test(sentence));
  return new Set(sentences.flatMap((sentence) => sentence.match(/[\w-]+(?:[./][\w-]+)*/g) ?? []));
}

/** A tool, and another one to which its description sends agents. */
export interface ToolReferral {
  readonly tool: string;
  readonly other: string;
}

/** Referrals between the tools of one server. */
export function listReferrals(tools: readonly ToolDefinition[]): ToolReferral[] {
  const names = new Set(tools.map(({ name }) => name));
  return tools.flatMap(({ name, description = '' }) =>
    [...listReferredNames(description)]
      .filter((other) => other !== name && names.has(other))
      .map((other) => ({ tool: name, other })),
  );
}

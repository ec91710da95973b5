// Tools that another tool of the same server replaces, by their names (`search` and `search_v2`, `search_old` and
// `search`) or because their title or description says that they are deprecated.

import type { ToolDefinition } from '../model/catalogue.ts';
import { isDeprecated } from './description-words.ts';
import { nameWords } from './name-words.ts';

export interface SupersededTool {
  readonly tool: string;
  /** Undefined when neither a name nor the description says what replaces it. */
  readonly successor: string | undefined;
  readonly reason: 'name' | 'description';
}

const OLD_WORDS: ReadonlySet<string> = new Set(['old', 'legacy', 'deprecated']);

/** A name without its version and its word for "old". */
interface RankedName {
  readonly name: string;
  readonly base: string;
  /** 0 for an old one, 1 without a version, otherwise the version. */
  readonly rank: number;
}

/**
 * @param tools all tools of one server; of one that is known by its calls only, the name
 * @returns in the order of the tools
 */
export function findSupersededTools(tools: readonly ToolDefinition[]): SupersededTool[] {
  const deprecated = new Set(tools.filter(isDeprecated).map(({ name }) => name));
  const ranked = tools.map(({ name }) => rankName(name));
  const candidates = ranked.filter(({ name }) => !deprecated.has(name));
  return tools.flatMap((tool, at): SupersededTool[] => {
    const own = ranked[at];
    const newer = own && findNewest(own, candidates);
    if (deprecated.has(tool.name))
      return [
        { tool: tool.name, successor: findNamedTool(tool, tools) ?? newer, reason: 'description' as const },
      ];
    return newer === undefined ? [] : [{ tool: tool.name, successor: newer, reason: 'name' as const }];
  });
}

function rankName(name: string): RankedName {
  let words = nameWords(name);
  let rank = 1;
  for (;;) {
    const [first = '', last = ''] = [words[0], words.at(-1)];
    const version = /^v(\d{1,3})$/.exec(last)?.[1];
    if (words.length < 2) break;
    if (OLD_WORDS.has(last)) [words, rank] = [words.slice(0, -1), 0];
    else if (OLD_WORDS.has(first)) [words, rank] = [words.slice(1), 0];
    else if (version !== undefined) [words, rank] = [words.slice(0, -1), Math.min(rank, 1) * Number(version)];
    else break;
  }
  return { name, base: words.join(' '), rank };
}

/** The highest version of the same name, if it is higher than its own. */
function findNewest(own: RankedName, candidates: readonly RankedName[]): string | undefined {
  const newer = candidates.filter(({ base, rank }) => base === own.base && rank > own.rank);
  const highest = Math.max(...newer.map(({ rank }) => rank));
  return newer.find(({ rank }) => rank === highest)?.name;
}

/** The first other tool that the title or description names. */
function findNamedTool(tool: ToolDefinition, tools: readonly ToolDefinition[]): string | undefined {
  const others = new Set(tools.map(({ name }) => name).filter((name) => name !== tool.name));
  const words = `${tool.title ?? ''} ${tool.description ?? ''}`.match(/[\w-]+(?:[./][\w-]+)*/g) ?? [];
  return words.find((word) => others.has(word));
}

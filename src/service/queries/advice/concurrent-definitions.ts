// Definitions in use beside the current one: a rolling deploy, two installs. Advice is of the current definition first, but it is not
// gone while a version that somebody runs still shows it. So each of them is looked at as if it were the current one.

import type { ToolEvidence } from '../../../core/advice/tool-evidence.ts';
import type { ListedDefinition } from '../tools/definitions.ts';

/** What happened to the calls that met a definition beside the current one. */
export interface ConcurrentEvidence {
  readonly listed: ListedDefinition;
  readonly evidence: ToolEvidence;
}

/** All definitions, with some marked as current in place of those that are. */
interface DefinitionPass {
  readonly definitions: readonly ListedDefinition[];
  readonly concurrentDefinitions: readonly ListedDefinition[];
}

/** Of one tool, beside the current one. Each round is as many reads as the current ones take. */
const MAX_PASSES = 2;

/** In the first round the newest of each tool, then those before. Empty where no two versions run beside each other. */
export function toConcurrentPasses(definitions: readonly ListedDefinition[]): DefinitionPass[] {
  const ranked = new Map<string, ListedDefinition[]>();
  for (const listed of definitions.filter(isConcurrentDefinition)) {
    const key = keyOf(listed);
    ranked.set(key, [listed, ...(ranked.get(key) ?? [])]);
  }
  return Array.from({ length: MAX_PASSES }, (_, rank) =>
    toPass(
      definitions,
      [...ranked.values()].flatMap((own) => own[rank] ?? []),
    ),
  ).filter(({ concurrentDefinitions }) => concurrentDefinitions.length > 0);
}

/** In use, and not the current one in any environment. */
export const isConcurrentDefinition = ({ isInUse, isCurrent }: ListedDefinition): boolean =>
  isInUse && !isCurrent;
const keyOf = ({ server, tool }: ListedDefinition): string => `${server}\n${tool}`;

function toPass(
  definitions: readonly ListedDefinition[],
  concurrentDefinitions: readonly ListedDefinition[],
): DefinitionPass {
  const keys = new Set(concurrentDefinitions.map(keyOf));
  return {
    concurrentDefinitions,
    definitions: definitions.map((listed) =>
      keys.has(keyOf(listed)) ? { ...listed, isCurrent: concurrentDefinitions.includes(listed) } : listed,
    ),
  };
}

/** One catalogue in use that differs from what is current. */
export interface ConcurrentCatalogue {
  readonly server: string;
  readonly listed: readonly ListedDefinition[];
}

/** Of a server, those that are looked at; of more, the newest. */
const MAX_CATALOGUES = 4;

/** Catalogues in use of one server in which a tool stands with another definition than among the given ones, newest first. */
export function findConcurrentCatalogues(
  definitions: readonly ListedDefinition[],
  server: string,
): ConcurrentCatalogue[] {
  const own = definitions.filter((listed) => listed.server === server && listed.isInUse);
  const names = new Set(
    own.filter((listed) => !isNewest(listed, own)).flatMap(({ catalogues }) => catalogues),
  );
  return [...names]
    .map((name) => ({ server, listed: own.filter(({ catalogues }) => catalogues.includes(name)) }))
    .sort((one, other) => toNewestUs(other.listed) - toNewestUs(one.listed))
    .slice(0, MAX_CATALOGUES);
}

const toNewestUs = (listed: readonly ListedDefinition[]): number =>
  Math.max(...listed.map(({ firstUs }) => firstUs));

const isNewest = (listed: ListedDefinition, own: readonly ListedDefinition[]): boolean =>
  !own.some(({ tool, firstUs }) => tool === listed.tool && firstUs > listed.firstUs);

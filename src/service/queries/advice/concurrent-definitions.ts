// Definitions in use concurrently with the current one, for example during a rolling deploy or with two
// installs. Advice is about the current definition first, but is not resolved while a version in use still
// shows the fault, so each of these definitions is evaluated as if it were current.

import type { ToolEvidence } from '../../../core/advice/tool-evidence.ts';
import { toToolKey } from '../query/tool-identity.ts';
import type { ListedDefinition } from '../tools/definitions.ts';

/** Evidence from the calls that met a concurrent definition. */
export interface ConcurrentEvidence {
  readonly listed: ListedDefinition;
  readonly evidence: ToolEvidence;
}

/** All definitions, with the ones of this pass marked as current. */
interface DefinitionPass {
  readonly definitions: readonly ListedDefinition[];
  readonly concurrentDefinitions: readonly ListedDefinition[];
}

/** Concurrent definitions evaluated per tool. Each pass needs as many reads as the current definitions do. */
const MAX_PASSES = 2;

/**
 * The first pass has the newest concurrent definition of each tool, the next one the one before. Empty where
 * no versions run concurrently.
 */
export function toConcurrentPasses(definitions: readonly ListedDefinition[]): DefinitionPass[] {
  const ranked = new Map<string, ListedDefinition[]>();
  for (const listed of definitions.filter(isConcurrentDefinition)) {
    const key = toToolKey(listed);
    ranked.set(key, [listed, ...(ranked.get(key) ?? [])]);
  }
  return Array.from({ length: MAX_PASSES }, (_, rank) =>
    toPass(
      definitions,
      [...ranked.values()].flatMap((own) => own[rank] ?? []),
    ),
  ).filter(({ concurrentDefinitions }) => concurrentDefinitions.length > 0);
}

/** In use, but not current in any environment. */
export const isConcurrentDefinition = ({ isInUse, isCurrent }: ListedDefinition): boolean =>
  isInUse && !isCurrent;

function toPass(
  definitions: readonly ListedDefinition[],
  concurrentDefinitions: readonly ListedDefinition[],
): DefinitionPass {
  const keys = new Set(concurrentDefinitions.map(toToolKey));
  return {
    concurrentDefinitions,
    definitions: definitions.map((listed) =>
      keys.has(toToolKey(listed)) ? { ...listed, isCurrent: concurrentDefinitions.includes(listed) } : listed,
    ),
  };
}

/** A catalogue in use that differs from the current one. */
export interface ConcurrentCatalogue {
  readonly server: string;
  readonly listed: readonly ListedDefinition[];
}

/** Catalogues evaluated per server; the newest if there are more. */
const MAX_CATALOGUES = 4;

/**
 * Catalogues in use of one server that contain a tool with a definition other than the given ones, newest
 * first.
 */
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

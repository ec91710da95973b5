// Which catalogues of a server are in use. Two processes of different versions list in turn, an hour apart or
// at other times of the day: the last one to list is not necessarily current, and the other is not gone. A
// catalogue is in use if it was listed within a day of the newest listing of its server and environment,
// unless a later catalogue replaced it, that is, one first listed after its last listing.
//
// This is based on listings, not on the clock: a server that is stopped overnight has the same catalogues in
// use in the morning. A catalogue that was listed again after a later one appeared stays in use for the whole
// day, so that the next deploy of the other does not end it for an hour.

import { groupBy } from '../../../core/values/group-by.ts';

/** A running process lists every hour; processes that are run alternately list within a day. */
export const IN_USE_MS = 86_400_000;

const IN_USE_US = IN_USE_MS * 1_000;

/** One definition of a tool, as listed in one environment of a server. */
export interface DefinitionTimes {
  readonly server: string;
  readonly environment: string;
  readonly tool: string;
  readonly hash: string;
  readonly firstUs: number;
  readonly lastUs: number;
}

/** One catalogue of a server, as listed in one environment. The times cover all environments. */
export interface CatalogueTimes {
  readonly server: string;
  readonly environment: string;
  readonly catalogue: string;
  readonly firstUs: number;
  readonly lastUs: number;
  /** Names and definition hashes of its tools. */
  readonly offered: readonly (readonly [tool: string, hash: string])[];
}

/** A definition in an environment as one key. */
export const toDefinitionKey = ({
  server,
  environment,
  tool,
  hash,
}: Pick<DefinitionTimes, 'server' | 'environment' | 'tool' | 'hash'>): string =>
  JSON.stringify([server, environment, tool, hash]);

/**
 * The catalogues in use that have each definition. A catalogue has no times per environment; the times of its
 * definitions there bound them.
 *
 * @returns by `toDefinitionKey`; definitions in no catalogue in use are left out
 */
export function findCataloguesInUse(
  definitions: readonly DefinitionTimes[],
  catalogues: readonly CatalogueTimes[],
): ReadonlyMap<string, readonly string[]> {
  const times = new Map(definitions.map((one) => [toDefinitionKey(one), one]));
  const bounded = catalogues.flatMap((catalogue) => boundTimes(catalogue, times) ?? []);
  const usedIn = new Map<string, string[]>();
  for (const own of groupBy(bounded, ({ server, environment }) => `${server}\n${environment}`).values()) {
    for (const { catalogue, keys } of keepInUse(own)) {
      for (const key of keys) usedIn.set(key, [...(usedIn.get(key) ?? []), catalogue]);
    }
  }
  return usedIn;
}

interface BoundedCatalogue extends Omit<CatalogueTimes, 'offered'> {
  /** Keys of its definitions. */
  readonly keys: readonly string[];
}

function boundTimes(
  { offered, ...catalogue }: CatalogueTimes,
  times: ReadonlyMap<string, DefinitionTimes>,
): BoundedCatalogue | undefined {
  const { server, environment } = catalogue;
  const keys = offered.map(([tool, hash]) => toDefinitionKey({ server, environment, tool, hash }));
  const known = keys.flatMap((key) => times.get(key) ?? []);
  if (known.length === 0) return undefined;
  return {
    ...catalogue,
    firstUs: Math.max(catalogue.firstUs, ...known.map(({ firstUs }) => firstUs)),
    lastUs: Math.min(catalogue.lastUs, ...known.map(({ lastUs }) => lastUs)),
    keys: keys.filter((key) => times.has(key)),
  };
}

/** @param catalogues of one server and environment */
function keepInUse(catalogues: readonly BoundedCatalogue[]): readonly BoundedCatalogue[] {
  const newestUs = catalogues.reduce((newest, { lastUs }) => Math.max(newest, lastUs), 0);
  const recent = catalogues
    .filter(({ lastUs }) => lastUs >= newestUs - IN_USE_US)
    .sort((one, other) => one.firstUs - other.firstUs || (one.catalogue < other.catalogue ? -1 : 1));
  return recent.filter(({ lastUs }, at) => {
    const next = recent[at + 1];
    return next === undefined || lastUs > next.firstUs;
  });
}

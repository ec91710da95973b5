// The tools of the catalogues in use, each over all its environments.

import { groupBy } from '../../../core/values/group-by.ts';
import { toToolKey } from '../query/tool-identity.ts';
import type { Listing } from './listings.ts';

export interface ToolInUse {
  readonly server: string;
  readonly tool: string;
  readonly first_us: number;
  readonly last_us: number;
  readonly listed: number;
  /** Length of the definition that is in use. */
  readonly characters: number;
}

/**
 * Tools in no catalogue in use are retired and left out.
 *
 * @param isOneEnvironment whether the listings are those of one environment
 * @returns by server and name
 */
export function toToolsInUse(listings: readonly Listing[], isOneEnvironment: boolean): ToolInUse[] {
  const places = groupBy(listings, (one) => `${toToolKey(one)}\n${one.environment}`);
  const inUse = [...places.values()].flatMap((own) => toPlace(own, isOneEnvironment) ?? []);
  const tools = [...groupBy(inUse, toToolKey).values()].flatMap((own) => mergePlaces(own) ?? []);
  return tools.sort((one, other) => (toToolKey(one) < toToolKey(other) ? -1 : 1));
}

/** A tool in one environment; of its definitions, the one in use that is newest counts, else the last listed. */
function toPlace(listings: readonly Listing[], isOneEnvironment: boolean): ToolInUse | undefined {
  const used = listings.filter(({ usedIn }) => usedIn.length > 0);
  const [current] =
    used.length > 0
      ? [...used].sort((one, other) => other.firstUs - one.firstUs)
      : [...listings].sort((one, other) => other.lastUs - one.lastUs);
  if (current === undefined || (used.length === 0 && !listings.some(({ isNewest }) => isNewest)))
    return undefined;
  return {
    ...{ server: current.server, tool: current.tool, characters: current.characters },
    first_us: Math.min(...listings.map(({ firstUs }) => firstUs)),
    last_us: Math.max(...listings.map(({ lastUs }) => lastUs)),
    listed: listings.reduce((sum, one) => sum + (isOneEnvironment ? one.listings : one.ownListings), 0),
  };
}

/** One tool; the length is that of the environment that listed it last. */
function mergePlaces(places: readonly ToolInUse[]): ToolInUse | undefined {
  const [newest] = [...places].sort((one, other) => other.last_us - one.last_us);
  return (
    newest && {
      ...newest,
      first_us: Math.min(...places.map(({ first_us }) => first_us)),
      listed: places.reduce((sum, { listed }) => sum + listed, 0),
    }
  );
}

// Mends one day: what is stored twice goes, and the rollups that differ are counted anew from the calls. Only while nothing
// is shipped, only where the calls of the day are all there, and in steps of which each may be the last before a crash: the
// next check finds whatever is left to do. What another node ships meanwhile is not held; it shows as a difference again.

import {
  compareDay,
  type DayComparison,
  type Difference,
  ROLLUP_TABLES,
  type RollupTable,
} from '../store/compare-day.ts';
import { rebuildRollup } from '../store/rebuild-rollup.ts';
import { removeDuplicates } from '../store/remove-duplicates.ts';
import type { Store } from '../store/store.ts';

export interface MendPorts {
  readonly store: Store;
  /** This node's name. */
  readonly node: string;
  /** Throws when shipping may have begun again; asked before each step that it would spoil. */
  readonly assertHeld: () => void;
}

export type DayMended =
  /** What differed before was on its way. */
  | { readonly status: 'equal' }
  | {
      readonly status: 'repaired';
      readonly found: DayComparison;
      readonly tables: readonly RollupTable[];
    }
  /** Not to be touched, now or later. */
  | { readonly status: 'left'; readonly found: DayComparison; readonly reason: string }
  /** Mended, and yet it differs: something else writes to it. */
  | { readonly status: 'open'; readonly found: DayComparison; readonly reason: string };

export interface MendedDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The rollups that are kept for so long. */
  readonly tables: readonly RollupTable[];
}

const CALLS_ARE_GONE =
  'both rollups agree on more than twice the calls that are stored: calls of this day are gone';
const STILL_DIFFERS = 'it differs again after it was mended';

/** @throws UpstreamError as `Store` does, and whatever `assertHeld` throws */
export async function mendDay(ports: MendPorts, { day, tables }: MendedDay): Promise<DayMended> {
  const { store, assertHeld } = ports;
  const first = await compareDay(store, { day, tables });
  if (isEqual(first)) return { status: 'equal' };
  assertHeld();
  const found = await withoutDuplicates(store, { day, tables }, first);
  if (haveCallsGone(found.differences)) return { status: 'left', found, reason: CALLS_ARE_GONE };
  const wrong = ROLLUP_TABLES.filter((table) => found.differences.some((one) => one.table === table));
  await rebuildDay(ports, { day, tables: wrong });
  return isEqual(await compareDay(store, { day, tables }))
    ? { status: 'repaired', found, tables: wrong }
    : { status: 'open', found, reason: STILL_DIFFERS };
}

/** What differs shows only once each call is there once: until then the rollups are as wrong as the calls. */
async function withoutDuplicates(
  store: Store,
  { day, tables }: MendedDay,
  first: DayComparison,
): Promise<DayComparison> {
  if (first.duplicates === 0) return first;
  await removeDuplicates(store, day);
  const { differences } = await compareDay(store, { day, tables });
  return { differences, duplicates: first.duplicates };
}

/** Counts rollups of a day anew, one after the other. @throws as `mendDay` does */
export async function rebuildDay(
  { store, node, assertHeld }: MendPorts,
  { day, tables }: MendedDay,
): Promise<void> {
  for (const table of tables) await rebuildRollup(store, { table, day, node, assertHeld });
}

export function isEqual({ differences, duplicates }: DayComparison): boolean {
  return differences.length === 0 && duplicates === 0;
}

/**
 * A rollup that counted a batch twice stands alone or counts at most double. Two that were filled apart from one another and
 * agree on much more remember calls that the base has lost; to count anew would make the rollups forget them too.
 */
function haveCallsGone(differences: readonly Difference[]): boolean {
  const inHours = differences.filter(({ table }) => table === 'tool_hours');
  return inHours.some(({ hour, base, rollup }) => {
    const other = differences.find((one) => one.table === 'tool_minutes' && one.hour === hour);
    return other?.rollup === rollup && rollup > 2 * base;
  });
}

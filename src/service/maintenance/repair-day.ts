// Repairs one day: removes duplicates, and rebuilds the differing rollups from the calls. Only while writes
// are held, only if all calls of the day are retained, and in steps that may each be the last before a crash:
// the next check finds the rest. Writes of another node are not held and show up as a difference again.

import {
  compareDay,
  type DayComparison,
  ROLLUP_TABLES,
  type RollupDifference,
  type RollupTable,
} from '../store/compare-day.ts';
import { rebuildRollup } from '../store/rebuild-rollup.ts';
import { removeDuplicates } from '../store/remove-duplicates.ts';
import type { Store } from '../store/store.ts';

export interface RepairPorts {
  readonly store: Store;
  /** This node's name. */
  readonly node: string;
  /** Throws when shipping may have begun again; asked before each step that it would spoil. */
  readonly assertWritesHeld: () => void;
}

export type DayRepair =
  /** What differed before was on its way. */
  | { readonly status: 'equal' }
  | {
      readonly status: 'repaired';
      readonly comparison: DayComparison;
      readonly tables: readonly RollupTable[];
    }
  /** Not to be touched, now or later. */
  | { readonly status: 'left'; readonly comparison: DayComparison; readonly reason: string }
  /** Repaired but still different: something else writes to it. */
  | { readonly status: 'open'; readonly comparison: DayComparison; readonly reason: string };

export interface DayRollups {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The rollups that are kept for so long. */
  readonly tables: readonly RollupTable[];
}

const CALLS_ARE_MISSING =
  'both rollups agree on more than twice the calls that are stored: calls of this day are gone';
const STILL_DIFFERS = 'it differs again after it was mended';

/** @throws UpstreamError as `Store` does, and whatever `assertWritesHeld` throws */
export async function repairDay(ports: RepairPorts, { day, tables }: DayRollups): Promise<DayRepair> {
  const { store, assertWritesHeld } = ports;
  const first = await compareDay(store, { day, tables });
  if (isConsistent(first)) return { status: 'equal' };
  assertWritesHeld();
  const comparison = await compareWithoutDuplicates(store, { day, tables }, first);
  if (areCallsMissing(comparison.differences))
    return { status: 'left', comparison, reason: CALLS_ARE_MISSING };
  const tablesToRebuild = ROLLUP_TABLES.filter((table) =>
    comparison.differences.some((one) => one.table === table),
  );
  await rebuildDay(ports, { day, tables: tablesToRebuild });
  return isConsistent(await compareDay(store, { day, tables }))
    ? { status: 'repaired', comparison, tables: tablesToRebuild }
    : { status: 'open', comparison, reason: STILL_DIFFERS };
}

/** What differs shows only once each call is there once: until then the rollups are as wrong as the calls. */
async function compareWithoutDuplicates(
  store: Store,
  { day, tables }: DayRollups,
  first: DayComparison,
): Promise<DayComparison> {
  if (first.duplicates === 0) return first;
  await removeDuplicates(store, day);
  const { differences } = await compareDay(store, { day, tables });
  return { differences, duplicates: first.duplicates };
}

/**
 * Rebuilds rollups of a day, one after the other.
 *
 * @throws as `repairDay` does
 */
export async function rebuildDay(
  { store, node, assertWritesHeld }: RepairPorts,
  { day, tables }: DayRollups,
): Promise<void> {
  for (const table of tables) await rebuildRollup(store, { table, day, node, assertHeld: assertWritesHeld });
}

export function isConsistent({ differences, duplicates }: DayComparison): boolean {
  return differences.length === 0 && duplicates === 0;
}

/**
 * A rollup that counted a batch twice differs alone or by at most a factor of two. Two independently filled
 * rollups that agree on much more contain calls that the base table has lost; a rebuild would remove them
 * from the rollups too.
 */
function areCallsMissing(differences: readonly RollupDifference[]): boolean {
  const inHours = differences.filter(({ table }) => table === 'tool_hours');
  return inHours.some(({ hour, base, rollup }) => {
    const other = differences.find((one) => one.table === 'tool_minutes' && one.hour === hour);
    return other?.rollup === rollup && rollup > 2 * base;
  });
}

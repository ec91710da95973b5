// Repairs one day: removes duplicates, and rebuilds the differing rollups from the calls. Only while writes are
// held, only if all calls of the day are retained, and in steps that may each be the last before a crash: the next
// reconciliation does the rest. Writes of other nodes are not held, and show up as a difference again.

import {
  compareDay,
  type DayComparison,
  ROLLUP_TABLES,
  type RollupDifference,
  type RollupTable,
} from '../store/compare-day.ts';
import { rebuildRollup } from '../store/rebuild-rollup.ts';
import { readReconciliationProgress } from '../store/reconciliation-rows.ts';
import { removeDuplicates } from '../store/remove-duplicates.ts';
import type { Store } from '../store/store.ts';
import {
  CALLS_EXPIRED,
  findKeptTables,
  findWholeFrom,
  isWholeDay,
  type RetentionDays,
} from './whole-days.ts';

export interface RepairPorts {
  readonly store: Store;
  /** Name of this node. */
  readonly node: string;
  /** Throws when writes may have resumed; called before each step that this would break. */
  readonly assertWritesHeld: () => void;
}

export type DayRepair =
  /** The difference was a batch in progress. */
  | { readonly status: 'equal' }
  | {
      readonly status: 'repaired';
      readonly comparison: DayComparison;
      readonly tables: readonly RollupTable[];
    }
  /** Must not be changed, now or later. */
  | { readonly status: 'left'; readonly comparison: DayComparison; readonly reason: string }
  /** Repaired but still different: something else writes to it. */
  | { readonly status: 'open'; readonly comparison: DayComparison; readonly reason: string };

export interface DayRollups {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Rollups that still retain the day. */
  readonly tables: readonly RollupTable[];
}

const CALLS_ARE_MISSING =
  'both rollups have more than twice as many calls as are stored: calls of this day were lost';
const STILL_DIFFERS = 'it differs again after the repair';

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

/** Duplicates are removed first: until then, the rollups may only be as wrong as the calls. */
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

async function rebuildDay(
  { store, node, assertWritesHeld }: RepairPorts,
  { day, tables }: DayRollups,
): Promise<void> {
  for (const table of tables) await rebuildRollup(store, { table, day, node, assertHeld: assertWritesHeld });
}

export type DayRebuild =
  | { readonly status: 'rebuilt' }
  /** The rollups would lose calls that have expired. */
  | { readonly status: 'kept'; readonly reason: string };

export interface RebuildPorts extends Pick<RepairPorts, 'store' | 'node'> {
  readonly retention: RetentionDays;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Rebuilds all rollups of a day after its calls changed. The caller must hold writes.
 *
 * @param day `YYYY-MM-DD`
 * @throws UpstreamError as `Store` does
 */
export async function rebuildWholeDay(
  { store, node, retention, now }: RebuildPorts,
  day: string,
): Promise<DayRebuild> {
  const nowMs = now();
  const { baseWholeFromMs } = await readReconciliationProgress(store, node);
  if (!isWholeDay(day, findWholeFrom(nowMs, retention, baseWholeFromMs)))
    return { status: 'kept', reason: CALLS_EXPIRED };
  const tables = findKeptTables(day, { nowMs, retention });
  await rebuildDay({ store, node, assertWritesHeld: () => undefined }, { day, tables });
  return { status: 'rebuilt' };
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

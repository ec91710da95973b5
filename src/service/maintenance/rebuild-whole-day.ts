// Rebuilds all rollups of a day after its calls changed; the caller must hold writes. A day whose calls have
// partly expired is left unchanged, because the rollups would lose those calls.

import { readReconciliationProgress } from '../store/reconciliation-rows.ts';
import type { Store } from '../store/store.ts';
import type { DayRebuildResult } from './purge.ts';
import { rebuildDay } from './repair-day.ts';
import { findKeptTables, findWholeFrom, isWholeDay, type RetentionDays } from './whole-days.ts';

export interface RebuildPorts {
  readonly store: Store;
  readonly node: string;
  readonly retention: RetentionDays;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** @param day `YYYY-MM-DD` @throws UpstreamError as `Store` does */
export async function rebuildWholeDay(
  { store, node, retention, now }: RebuildPorts,
  day: string,
): Promise<DayRebuildResult> {
  const nowMs = now();
  const { baseWholeFromMs } = await readReconciliationProgress(store, node);
  if (!isWholeDay(day, findWholeFrom(nowMs, retention, baseWholeFromMs)))
    return { status: 'kept', reason: 'its calls are partly dropped by age' };
  const tables = findKeptTables(day, { nowMs, retention });
  await rebuildDay({ store, node, assertWritesHeld: () => undefined }, { day, tables });
  return { status: 'rebuilt' };
}

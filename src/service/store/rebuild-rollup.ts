// Rebuilds one day of a rollup from its calls: into a shadow table, whose partition then replaces the day
// atomically. A crash before that leaves the day unchanged, one after it leaves it repaired; the next rebuild
// drops the remaining shadow table, including its files, since it holds session ids that a purge may delete.
// Concurrent writes to the rollup would be lost, so writes must be held.

import { z } from 'zod';
import type { RollupTable } from './compare-day.ts';
import { assertDay, readViewSelect } from './day-sql.ts';
import { fillFirstLastSeen, isFirstLastSeenTable } from './first-last-seen.ts';
import { queryNumber, type Store } from './store.ts';

export interface RollupRebuild {
  readonly table: RollupTable;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Part of the shadow's name, so that two nodes never share one. */
  readonly node: string;
  /** Called just before the day is replaced; a throw leaves the day unchanged. */
  readonly assertHeld: () => void;
}

const ColumnRow = z.object({ name: z.string().regex(/^\w+$/) });

/** Large groups spill to disk; two threads, so that queries are still served. */
const FILL_SETTINGS =
  'max_execution_time = 110, max_threads = 2, max_memory_usage = 2000000000, max_bytes_before_external_group_by = 500000000';

/** @throws UpstreamError as `Store` does, and whatever `assertWritesHeld` throws */
export async function rebuildRollup(
  store: Store,
  { table, day, node, assertHeld }: RollupRebuild,
): Promise<void> {
  assertDay(day);
  if (!/^[\w-]+$/.test(node)) throw new Error('not a node');
  if (isFirstLastSeenTable(table)) {
    assertHeld();
    return fillFirstLastSeen(store, table, day);
  }
  const shadow = `rebuild_${table}_${node.replaceAll('-', '_')}`;
  await store.command(`DROP TABLE IF EXISTS ${shadow} SYNC`);
  await store.command(`CREATE TABLE ${shadow} AS ${table}`);
  await store.command(await toFillStatement(store, { table, day, shadow }));
  const isEmpty = (await queryNumber(store, { sql: `SELECT count() FROM ${shadow}` })) === 0;
  assertHeld();
  // The engine refuses REPLACE PARTITION from an empty table.
  await store.command(
    isEmpty
      ? `ALTER TABLE ${table} DROP PARTITION '${day}'`
      : `ALTER TABLE ${table} REPLACE PARTITION '${day}' FROM ${shadow}`,
  );
  await store.command(`DROP TABLE IF EXISTS ${shadow} SYNC`);
}

interface ShadowFill {
  readonly table: string;
  readonly day: string;
  readonly shadow: string;
}

/** The shadow is filled by the view's own SELECT, so the two cannot diverge. */
async function toFillStatement(store: Store, { table, day, shadow }: ShadowFill): Promise<string> {
  const columns = await store.query({
    sql: 'SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {view:String} ORDER BY position',
    params: { view: `${table}_from_calls` },
    row: ColumnRow,
  });
  const names = columns.map(({ name }) => name).join(', ');
  const select = await readViewSelect(store, table, day);
  return `INSERT INTO ${shadow} (${names}) SELECT ${names} FROM (${select}) SETTINGS ${FILL_SETTINGS}`;
}

// Rows and bytes of each table, from the engine's own list of parts: no table is read.

import { z } from 'zod';
import type { TableSize } from '../../contract/administration.ts';
import { count } from './row-codec.ts';
import type { Store } from './store.ts';

const SizeRow = z.object({ table: z.string(), rows: count, bytes: count });

/** @returns the largest first; tables without rows are absent. Throws as `Store` does */
export function readTableSizes(store: Pick<Store, 'database' | 'query'>): Promise<TableSize[]> {
  return store.query({
    sql: `
    SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes
    FROM system.parts
    WHERE active AND database = {database:String}
    GROUP BY table
    ORDER BY bytes DESC, table`,
    params: { database: store.database },
    row: SizeRow,
  });
}

// The SELECT of a materialised view, limited to the calls of one day: rebuilding and comparing use the view's
// own SQL, so they cannot diverge.

import { z } from 'zod';
import type { Store } from './store.ts';

const ViewRow = z.object({ as_select: z.string() });
const FROM_CALLS = /\bFROM (?:\w+\.)?calls\b/g;

/**
 * @param table that the view `<table>_from_calls` fills
 * @param day `YYYY-MM-DD`
 * @throws Error when the view does not read the calls exactly once; UpstreamError as `Store` does
 */
export async function readViewSelect(store: Store, table: string, day: string): Promise<string> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error('not a day');
  const [definition] = await store.query({
    sql: 'SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = {view:String}',
    params: { view: `${table}_from_calls` },
    row: ViewRow,
  });
  const select = definition?.as_select ?? '';
  if (select.match(FROM_CALLS)?.length !== 1) throw new Error('a view does not read the calls once');
  return select.replace(
    FROM_CALLS,
    (source) => `FROM (SELECT * ${source} WHERE toDate(started_at) = '${day}')`,
  );
}

// Storms in the attention list; each is listed once, whatever its sessions are.
//
// Serves the overview. `storms` has one row per storm and parts per month, so a range is read in full.

import type { AttentionItem } from '../../../contract/overview.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { STORMS, type StormRow } from '../../store/storm-rows.ts';
import { whereStorms } from '../loops/storms.ts';
import { type CommonFilters, canFilter } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { NO_SESSION } from './describe-attention.ts';

const MAX_STORMS = 8;
const Row = STORMS.row.extend({ total: count });

/** Active storms first, then those with the most sessions. Empty under filters that storms cannot apply. */
export async function readStormAttention(
  range: TimeRange,
  filters: CommonFilters,
  { store }: Pick<QueryContext, 'store'>,
): Promise<{ readonly items: AttentionItem[]; readonly total: number }> {
  if (!canFilter('storms', filters)) return { items: [], total: 0 };
  const where = whereStorms(filters, range);
  const rows = await store.query({
    sql: `
    SELECT ${STORMS.select}, count() OVER () AS total
    FROM storms FINAL
    WHERE ${where.sql}
    ORDER BY state = 'active' DESC, sessions DESC, last_at DESC, id
    LIMIT ${MAX_STORMS}`,
    params: where.params,
    row: Row,
  });
  return { items: rows.map(toStormItem), total: rows[0]?.total ?? 0 };
}

function toStormItem({ id, server, kind, code, tools, sentence, sessions, lastUs }: StormRow): AttentionItem {
  return {
    ...NO_SESSION,
    kind: 'storm',
    server,
    tool: tools.length === 1 ? (tools[0] ?? '') : '',
    ...(kind === 'failure' && { code }),
    id,
    why: sentence,
    count: sessions,
    lastAt: formatIso(lastUs),
  };
}

// Storms in the attention list; each is listed once, whatever its sessions are.

import type { z } from 'zod';
import type { AttentionItem } from '../../../contract/overview.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { STORM_COLUMNS, StormColumns } from '../../store/storm-rows.ts';
import { whereStorms } from '../loops/storms.ts';
import type { Filters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { count, toIso } from '../query/row-values.ts';

const MAX_STORMS = 8;
const Row = StormColumns.extend({ total: count });
type Row = z.infer<typeof Row>;

/** Active storms first, then those with the most sessions. Empty under filters that storms do not have. */
export async function readStormAttention(
  range: TimeRange,
  filters: Filters,
  { store }: Pick<QueryContext, 'store'>,
): Promise<{ readonly items: AttentionItem[]; readonly total: number }> {
  const { client, version, plan } = filters;
  if ([client, version, plan].some((value) => value !== undefined)) return { items: [], total: 0 };
  const where = whereStorms(filters, range);
  const rows = await store.query({
    sql: `
    SELECT ${STORM_COLUMNS}, count() OVER () AS total
    FROM storms FINAL
    WHERE ${where.sql}
    ORDER BY state = 'active' DESC, sessions DESC, last_at DESC, id
    LIMIT ${MAX_STORMS}`,
    params: where.params,
    row: Row,
  });
  return { items: rows.map(toStormItem), total: rows[0]?.total ?? 0 };
}

function toStormItem({
  id,
  server_name,
  kind,
  code,
  tools,
  sentence,
  sessions,
  last_us,
}: Row): AttentionItem {
  return {
    kind: 'storm',
    server: server_name,
    sessionId: '',
    sessionSource: 'none',
    tool: tools.length === 1 ? (tools[0] ?? '') : '',
    client: '',
    ...(kind === 'failure' && { code }),
    id,
    why: sentence,
    count: sessions,
    lastAt: toIso(last_us),
  };
}

// Calls inside loops as a share of a tool's calls. A loop stores its start, end, session and tools; the calls
// in between are counted in the windows used for call order.
//
// Serves the tools page. Reads windows of `calls`, whose key begins with server and time; the key of `loops`
// begins with the server and continues with the session, by which the two are joined.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import { type CallWindow, groupWindows, inWindows } from '../query/call-window.ts';
import type { CommonFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY } from '../query/session-identity.ts';
import { IS_LOOP } from './loops.ts';

const Row = z.object({ server: z.string(), tool: z.string(), n: count, looping: count });
export type LoopingCalls = z.infer<typeof Row>;

export async function readLoopingCalls(
  { windows, filters }: { readonly windows: readonly CallWindow[]; readonly filters: CommonFilters },
  { store }: QueryContext,
): Promise<LoopingCalls[]> {
  if (windows.length === 0) return [];
  const where = inWindows(windows, filters);
  const loops = groupWindows(windows).map(
    (_, at) =>
      `(server_name IN {window_servers_${at}:Array(String)} AND last_at >= fromUnixTimestamp64Milli({window_from_${at}:Int64}, 'UTC'))`,
  );
  return store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      count() AS n,
      countIf(arrayExists(one -> started_at >= one.1 AND started_at <= one.2 AND has(one.3, tool_name), spans)) AS looping
    FROM calls
    LEFT JOIN (
      SELECT ${IDENTITY}, groupArray((onset, last_at, arrayMap(name -> toString(name), tools))) AS spans
      FROM loops FINAL
      WHERE ${IS_LOOP} AND (${loops.join(' OR ')})
      GROUP BY ${IDENTITY}
    ) AS found USING (${IDENTITY})
    WHERE ${where.sql}
    GROUP BY server, tool`,
    params: where.params,
    row: Row,
  });
}

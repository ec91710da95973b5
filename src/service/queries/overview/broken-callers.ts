// Definitions that broke their callers: clients that called the tool before the change without being wrong about it, and are wrong
// since. A change that no caller trips over is not one.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import type { QueryContext } from '../query/query-context.ts';
import { whereWrongCall } from '../query/wrong-call.ts';
import { readBreakingChanges } from './catalogue-changes.ts';

/** A caller may meet a change only days later, and callers of this long before count. */
const REACH_MS = 7 * 86_400_000;

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  clients: z.array(z.string()),
  first_us: count,
  n: count,
});

const CHANGED = `transform(concat(server_name, '\\n', tool_name), {keys:Array(String)}, {changed_us:Array(Int64)}, toInt64(0))`;

/** At the first call that a change broke, if that is in the range. */
export async function readBrokenCallers(range: TimeRange, context: QueryContext) {
  const changes = await readBreakingChanges({ fromMs: range.fromMs - REACH_MS, toMs: range.toMs }, context);
  if (changes.length === 0) return [];
  // Of several changes of a tool, the newest.
  const byTool = new Map(changes.map((change) => [`${change.server}\n${change.tool}`, change]));
  const wrong = whereWrongCall(context.errorCodes);
  const rows = await context.store.query({
    sql: `
    SELECT server_name AS server, tool_name AS tool, arraySort(groupUniqArray(5)(toString(client_name))) AS clients,
      toUnixTimestamp64Micro(min(started_at)) AS first_us, count() AS n
    FROM failed_calls
    WHERE server_name IN {servers:Array(String)} AND tool_name IN {tools:Array(String)}
      AND started_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
      AND ${wrong.sql} AND ${CHANGED} > 0 AND toUnixTimestamp64Micro(started_at) >= ${CHANGED}
      AND (server_name, tool_name, client_name) IN (
        SELECT server_name, tool_name, client_name
        FROM tool_minutes
        WHERE server_name IN {servers:Array(String)} AND tool_name IN {tools:Array(String)} AND method = 'tools/call'
          AND bucket >= fromUnixTimestamp64Milli({before_ms:Int64}, 'UTC') AND outcome = 'ok'
          AND ${CHANGED} > 0 AND toInt64(toUnixTimestamp(bucket)) * 1000000 < ${CHANGED}
      )
    GROUP BY server, tool`,
    params: {
      ...wrong.params,
      keys: [...byTool.keys()],
      changed_us: [...byTool.values()].map(({ at }) => Date.parse(at) * 1_000),
      servers: [...new Set(changes.map(({ server }) => server))],
      tools: [...new Set(changes.map(({ tool }) => tool))],
      ...{ from_ms: range.fromMs - REACH_MS, before_ms: range.fromMs - 2 * REACH_MS, to_ms: range.toMs },
    },
    row: Row,
  });
  return rows.flatMap(({ server, tool, clients, first_us, n }) => {
    const change = byTool.get(`${server}\n${tool}`);
    const atMs = Math.floor(first_us / 1_000);
    if (!change || atMs < range.fromMs) return [];
    const who = clients.filter(Boolean).join(', ') || 'a client';
    const sentence = `${change.sentence}; ${who}, which called it before, has ${n} wrong ${n === 1 ? 'call' : 'calls'} since`;
    const { environment } = change;
    return [
      {
        event: 'breaking_definition' as const,
        atMs,
        server,
        environment,
        tool,
        code: '',
        client: '',
        sentence,
      },
    ];
  });
}

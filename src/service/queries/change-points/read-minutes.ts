// The calls of closed minutes, as the change detector takes them. A call counts in the minute in which it ended:
// a slow call arrives long after the minute in which it started.
//
// Serves the change-point job. The key of `calls` is server and five minutes, so that a minute of all servers
// reads a few granules of each.

import { z } from 'zod';
import type { ToolMinute } from '../../../core/change-points/change-point.ts';
import { OUTCOMES_NOT_COUNTED } from '../../../core/model/outcome.ts';
import { count } from '../../store/row-codec.ts';
import type { StoreReader } from '../../store/store.ts';
import { TIMED } from '../query/call-source.ts';
import { allOf } from '../query/filters.ts';
import { inRangeOfMinutes, type MinuteRange, type MonitoredServer, ofServer } from './minute-range.ts';

export interface ServerMinute extends MonitoredServer {
  readonly minute: number;
  readonly tools: readonly ToolMinute[];
}

const Row = z.object({
  server: z.string(),
  environment: z.string(),
  tool: z.string(),
  minute: count,
  n: count,
  capped: count,
  failures: z.array(z.tuple([z.string(), z.string(), count, count])),
  bins: z.array(z.number().int()),
});

/** Calls of one session to one tool in a minute that count for the call rate, and for the latency. */
const MAX_SESSION_CALLS = 2;
const MAX_SESSION_LATENCIES = 5;
const NOT_COUNTED = OUTCOMES_NOT_COUNTED.map((outcome) => `'${outcome}'`).join(', ');

const SQL = (where: string): string => `
    SELECT
      server,
      environment,
      tool,
      minute,
      sum(n_of) AS n,
      sum(if(session = '', n_of, least(n_of, ${MAX_SESSION_CALLS}))) AS capped,
      groupArrayArray(arrayMap((code, failed) -> (code, session, failed, n_of - failed), codes.1, codes.2)) AS failures,
      groupArrayArray(arraySlice(bins_of, 1, if(session = '', 1000000, ${MAX_SESSION_LATENCIES}))) AS bins
    FROM (
      SELECT
        toString(server_name) AS server,
        toString(environment) AS environment,
        toString(tool_name) AS tool,
        intDiv(toUnixTimestamp64Micro(started_at) + toInt64(duration_us), 60000000) AS minute,
        if(session_id = '', '', toString(cityHash64(session_source, session_id))) AS session,
        count() AS n_of,
        sumMapIf([if(error_code = '', toString(outcome), toString(error_code))], [toUInt64(1)], fault != 'none') AS codes,
        groupArrayIf(toInt32(floor(4 * log2(greatest(1, duration_us)))), ${TIMED}) AS bins_of
      FROM calls
      WHERE side = 'server' AND method = 'tools/call' AND outcome NOT IN (${NOT_COUNTED}) AND ${where}
      GROUP BY server, environment, tool, minute, session
    )
    GROUP BY server, environment, tool, minute`;

/**
 * The minutes with calls, in order.
 *
 * @param only one server instead of all
 * @throws UpstreamError as `Store` does
 */
export async function readMinutes(
  store: StoreReader,
  range: MinuteRange,
  only: MonitoredServer | undefined,
): Promise<ServerMinute[]> {
  const where = allOf(inRangeOfMinutes(range), only && ofServer(only));
  const rows = await store.query({ sql: SQL(where.sql), params: where.params, row: Row });
  const byKey = new Map<string, ServerMinute & { readonly tools: ToolMinute[] }>();
  for (const row of rows) {
    const { server, environment, minute } = row;
    const key = JSON.stringify([server, environment, minute]);
    const own = byKey.get(key) ?? { server, environment, minute, tools: [] };
    own.tools.push(toToolMinute(row));
    byKey.set(key, own);
  }
  return [...byKey.values()].sort((one, other) => one.minute - other.minute);
}

function toToolMinute({ tool, n, capped, failures, bins }: z.infer<typeof Row>): ToolMinute {
  const latencies = new Map<number, number>();
  for (const bin of bins) latencies.set(bin, (latencies.get(bin) ?? 0) + 1);
  return {
    ...{ tool, calls: n, cappedCalls: capped, latencies: [...latencies] },
    failures: failures.map(([code, session, calls, others]) => ({ code, session, calls, others })),
  };
}

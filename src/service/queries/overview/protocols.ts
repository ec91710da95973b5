// Sessions and calls by MCP protocol version and era. Only single calls have the version, so the newest calls
// of each server are read, and the response says how many.
//
// Serves the overview. Windows of `calls` are ranges of its key, server and time.

import { z } from 'zod';
import type { ProtocolRow, ProtocolsResponse } from '../../../contract/overview.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import { count } from '../../store/row-codec.ts';
import { inWindows, readCallWindows } from '../query/call-window.ts';
import { alignRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';

const MAX_CALLS = 5_000;
/** The first revision without sessions; revisions are dates, so they compare as strings. */
const FIRST_STATELESS_VERSION = '2026-07-28';

const Row = z.object({ version: z.string(), n: count, session_count: count, clients: z.array(z.string()) });

export async function getProtocols(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<ProtocolsResponse> {
  const range = alignRange(query.range, context);
  const windows = await readCallWindows({ range, filters: query, maxCalls: MAX_CALLS }, context);
  const where = inWindows(windows, query);
  const rows =
    windows.length === 0
      ? []
      : await context.store.query({ sql: protocolsSql(where.sql), params: where.params, row: Row });
  const calls = rows.reduce((sum, { n }) => sum + n, 0);
  return {
    range,
    protocols: rows.map(
      (row): ProtocolRow => ({
        version: row.version,
        era: toProtocolEra(row.version),
        calls: row.n,
        share: toProportion(row.n, calls),
        sessions: row.session_count,
        clients: row.clients,
      }),
    ),
    window: {
      fromMs: Math.min(range.toMs, ...windows.map(({ fromMs }) => fromMs)),
      calls,
      isWhole: windows.every(({ isWhole }) => isWhole),
    },
  };
}

const protocolsSql = (where: string) => `
    SELECT
      toString(protocol_version) AS version,
      count() AS n,
      uniqCombinedIf(cityHash64(server_name, session_source, session_id), session_id != '') AS session_count,
      arraySort(groupUniqArrayIf(5)(toString(client_name), client_name != '')) AS clients
    FROM calls
    WHERE ${where}
    GROUP BY version
    ORDER BY version DESC
    LIMIT 50`;

/** The era of a version; unknown for an empty version or one that is not a date. */
export function toProtocolEra(version: string): ProtocolRow['era'] {
  if (!/^\d{4}-\d{2}-\d{2}/.test(version)) return 'unknown';
  return version >= FIRST_STATELESS_VERSION ? '2026-07-28' : '2025';
}

// The statements over failed calls: the groups of a range, and the failures of marked groups since their marks.
//
// Serves the errors page. `failed_calls` has a part for each day, so a range reads its days; `failure_sightings` has
// one short row for each failure.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { count } from '../../store/row-codec.ts';
import { type FailureSource, toFailureSource } from '../query/call-source.ts';
import { type CallSelection, pickFilters, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { FailuresSinceMark } from './decide-state.ts';

/** Groups that one query considers, the most frequent first. */
export const MAX_GROUPS = 1_000;

/** A hash, because the message may have been captured in full and must expire with its calls. */
const GROUP_ID =
  "leftPad(lower(hex(sipHash64(toString(server_name), toString(outcome), toString(error_code), error_message))), 16, '0')";

const counts = z.tuple([z.array(z.string()), z.array(count)]);

const GroupRow = z.object({
  id: z.string(),
  server: z.string(),
  of_outcome: z.enum(OUTCOMES),
  of_fault: z.enum(FAULTS),
  code: z.string(),
  template: z.string(),
  n: count,
  session_count: count,
  tools: counts,
  versions: counts,
  clients: counts,
  first_in_us: count,
  /** 0 if the first sighting is not stored yet. */
  sighted_us: count,
  last_us: count,
});
export type GroupRow = z.infer<typeof GroupRow>;

/** @param selection single calls of its range are retained */
export function readErrorGroups(selection: CallSelection, { store }: QueryContext): Promise<GroupRow[]> {
  const source = toFailureSource(selection);
  const sightings = whereFilters(
    'failure_sightings',
    pickFilters('failure_sightings', { server: selection.filters.server }),
  );
  return store.query({
    sql: groupsSql(source, sightings.sql),
    params: { ...source.where.params, ...sightings.params },
    row: GroupRow,
    // The first time of a group may be before the range.
  });
}

function groupsSql({ table, where }: FailureSource, sightings: string): string {
  return `
    SELECT *
    FROM (
      SELECT
        id,
        any(server) AS server,
        any(of_outcome) AS of_outcome,
        any(of_fault) AS of_fault,
        any(code) AS code,
        any(template) AS template,
        cityHash64(template) AS message_hash,
        sum(calls) AS n,
        uniqCombinedIfMerge(session_state) AS session_count,
        sumMap([tool], [calls]) AS tools,
        sumMap([version], [calls]) AS versions,
        sumMap([client], [calls]) AS clients,
        toUnixTimestamp64Micro(min(first_at)) AS first_in_us,
        toUnixTimestamp64Micro(max(last_at)) AS last_us
      FROM (
        SELECT
          ${GROUP_ID} AS id,
          any(toString(server_name)) AS server,
          any(toString(outcome)) AS of_outcome,
          any(toString(fault)) AS of_fault,
          any(toString(error_code)) AS code,
          any(error_message) AS template,
          toString(tool_name) AS tool,
          toString(server_version) AS version,
          toString(client_name) AS client,
          count() AS calls,
          uniqCombinedIfState(cityHash64(session_source, session_id), session_id != '') AS session_state,
          min(started_at) AS first_at,
          max(started_at) AS last_at
        FROM ${table}
        WHERE ${where.sql}
        GROUP BY id, tool, version, client
      )
      GROUP BY id
      ORDER BY n DESC, id
      LIMIT ${MAX_GROUPS + 1}
    ) AS grouped
    LEFT JOIN (
      SELECT
        toString(server_name) AS server,
        toString(outcome) AS of_outcome,
        toString(error_code) AS code,
        message_hash,
        toUnixTimestamp64Micro(min(first_seen)) AS sighted_us
      FROM failure_sightings
      WHERE ${sightings === '' ? '1' : sightings}
      GROUP BY server, of_outcome, code, message_hash
    ) AS sighting USING (server, of_outcome, code, message_hash)
    ORDER BY n DESC, id`;
}

const SinceRow = z.object({ id: z.string(), version: z.string(), n: count, first_us: count });

/** A marked group whose later failures matter. */
export interface MarkedGroup {
  readonly id: string;
  readonly server: string;
  readonly markedMs: number;
}

/** By id of the group. Of all environments and clients, because a mark is about all of them. */
export async function readFailuresSince(
  groups: readonly MarkedGroup[],
  { store }: Pick<QueryContext, 'store'>,
): Promise<ReadonlyMap<string, readonly FailuresSinceMark[]>> {
  if (groups.length === 0) return new Map();
  const rows = await store.query({
    sql: SINCE_SQL,
    params: {
      servers: [...new Set(groups.map(({ server }) => server))],
      ids: groups.map(({ id }) => id),
      marked_us: groups.map(({ markedMs }) => markedMs * 1_000),
      since_ms: Math.min(...groups.map(({ markedMs }) => markedMs)),
    },
    row: SinceRow,
  });
  const found = new Map<string, FailuresSinceMark[]>();
  for (const { id, version, n, first_us } of rows)
    found.set(id, [...(found.get(id) ?? []), { version, count: n, firstUs: first_us }]);
  return found;
}

const SINCE_SQL = `
    SELECT
      id,
      toString(server_version) AS version,
      count() AS n,
      toUnixTimestamp64Micro(min(started_at)) AS first_us
    FROM (
      SELECT ${GROUP_ID} AS id, server_version, started_at
      FROM failed_calls
      WHERE server_name IN {servers:Array(String)}
        AND started_at > fromUnixTimestamp64Milli({since_ms:Int64}, 'UTC')
    )
    WHERE id IN {ids:Array(String)}
      AND toUnixTimestamp64Micro(started_at) > transform(id, {ids:Array(String)}, {marked_us:Array(Int64)}, toInt64(0))
    GROUP BY id, version`;

/** @returns undefined if no retained call failed like this; otherwise the server versions on which calls did */
export async function readGroupVersions(
  id: string,
  { store }: Pick<QueryContext, 'store'>,
): Promise<readonly string[] | undefined> {
  const [row] = await store.query({
    sql: `
    SELECT count() AS n, groupUniqArray(200)(toString(server_version)) AS versions
    FROM failed_calls
    WHERE ${GROUP_ID} = {id:String}`,
    params: { id },
    row: z.object({ n: count, versions: z.array(z.string()) }),
  });
  return row === undefined || row.n === 0 ? undefined : row.versions;
}

// Options of the page filters: servers, and per server its environments, versions, clients and tools. They do
// not depend on the range, so that a page without data can be filtered to one with data. Every page loads
// them, so they come from tables with one row per name. Versions and clients are listed as long as they can
// be filtered by.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ListQuery } from '../../../contract/query.ts';
import type { ServersResponse } from '../../../contract/tools.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { encodeCursor, parseCursor } from '../query/cursor.ts';
import { allOf, whereFilters, whereGiven } from '../query/filters.ts';
import { DEFAULT_PAGE_ROWS } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Longer lists are unusable; the number of names that agents make up is unlimited. */
const MAX_NAMES = 1_000;
const DAY_MS = 86_400_000;

const NamesRow = z.object({
  server: z.string(),
  environments: z.array(z.string()),
  versions: z.array(z.string()),
  clients: z.array(z.string()),
  last_seconds: count,
});
const UsageRow = z.object({
  server: z.string(),
  environments: z.array(z.string()),
  tools: z.array(z.string()),
  last_seconds: count,
});
const ListedRow = z.object({ server: z.string(), tools: z.array(z.string()), last_us: count });

type ServersQuery = Pick<ResolvedQuery<ListQuery>, 'server' | 'range' | 'limit' | 'cursor'>;

const Key = z.tuple([z.string()]);

/** A page of servers by name, including servers that only listed their tools. */
export async function getServers(
  query: ServersQuery,
  { store, nowMs, rawDays }: QueryContext,
): Promise<ServersResponse> {
  const { limit = DEFAULT_PAGE_ROWS, cursor } = query;
  const position = cursor === undefined ? undefined : parseCursor('servers', { text: cursor, key: Key });
  const { sql, params } = allOf(
    whereFilters('tools', { server: query.server }),
    whereGiven('server_name > {after_server:String}', { after_server: position?.after[0] }),
  );
  // Each read covers the same names, so the first names of all are among the first of each.
  const read = { rows: limit + 1, where: sql };
  const [seen, used, listed] = await Promise.all([
    store.query({
      sql: namesSql(read),
      params: { ...params, kept_ms: toKeptFromMs(nowMs, rawDays) },
      row: NamesRow,
    }),
    store.query({ sql: usageSql(read), params, row: UsageRow }),
    store.query({ sql: listedSql(read), params, row: ListedRow }),
  ]);
  const names = sortNames([...seen, ...used, ...listed].map(({ server }) => server));
  const [seenOf, usedOf, listedOf] = [indexByServer(seen), indexByServer(used), indexByServer(listed)];
  const servers = names.slice(0, limit).map((server) => {
    const [named, called, offered] = [seenOf(server), usedOf(server), listedOf(server)];
    const lastSeconds = Math.max(named?.last_seconds ?? 0, called?.last_seconds ?? 0);
    return {
      server,
      environments: sortNames([...(named?.environments ?? []), ...(called?.environments ?? [])]),
      versions: sortNames(named?.versions ?? []),
      clients: sortNames(named?.clients ?? []),
      tools: sortNames([...(called?.tools ?? []), ...(offered?.tools ?? [])]),
      lastEventAt: formatIso(Math.max(lastSeconds * 1_000_000, offered?.last_us ?? 0)),
    };
  });
  const last = servers.at(-1);
  if (last === undefined || names.length <= limit) return { servers };
  return { servers, nextCursor: encodeCursor('servers', { range: query.range, after: [last.server] }) };
}

/** Each read has one row per server. */
function indexByServer<Row extends { readonly server: string }>(rows: readonly Row[]) {
  const groups = groupBy(rows, ({ server }) => server);
  return (server: string): Row | undefined => groups.get(server)?.[0];
}

/** From the start of the day: minutes and client days expire a whole day at a time. */
function toKeptFromMs(nowMs: number, rawDays: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - rawDays) * DAY_MS;
}

/** Distinct names without the empty one, which means "unknown"; in the engine's byte order. */
const sortNames = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== '').sort(compareBytes);

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

interface NamesQuery {
  readonly where: string;
  /** Number of servers, first by name. */
  readonly rows: number;
}

const namesSql = ({ where, rows }: NamesQuery) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MAX_NAMES})(toString(environment)) AS environments,
      groupUniqArrayIf(${MAX_NAMES})(toString(name), part = 'version' AND is_kept) AS versions,
      groupUniqArrayIf(${MAX_NAMES})(toString(name), part = 'client' AND is_kept) AS clients,
      toUnixTimestamp(max(last_in)) AS last_seconds
    FROM (
      SELECT server_name, part, name, environment, max(last_seen) AS last_in,
        last_in >= fromUnixTimestamp64Milli({kept_ms:Int64}, 'UTC') AS is_kept
      FROM name_sightings
      WHERE ${where}
      GROUP BY server_name, part, name, environment
    )
    GROUP BY server
    ORDER BY server
    LIMIT ${rows}`;

const usageSql = ({ where, rows }: NamesQuery) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MAX_NAMES})(toString(environment)) AS environments,
      groupUniqArray(${MAX_NAMES})(toString(tool_name)) AS tools,
      toUnixTimestamp(max(last_call)) AS last_seconds
    FROM tool_usage
    WHERE ${where}
    GROUP BY server
    ORDER BY server
    LIMIT ${rows}`;

const listedSql = ({ where, rows }: NamesQuery) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MAX_NAMES})(tool_name) AS tools,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us
    FROM tools
    WHERE ${where}
    GROUP BY server
    ORDER BY server
    LIMIT ${rows}`;

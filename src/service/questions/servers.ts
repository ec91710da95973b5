// What the filters of every page offer: servers, and per server its environments, versions, clients and tools. It does not
// depend on the range, so that a page without data can still be filtered to one that has some. Every page asks it, so it is read
// from the tables that have a row per name and no more. Versions and clients are offered as long as they can be filtered by.

import { z } from 'zod';
import type { ServersAnswer } from '../../contract/answers.ts';
import type { ListQuery } from '../../contract/query.ts';
import { encodeCursor, parseCursor } from './cursor.ts';
import { allOf, always, type Where, whereFilters } from './filters.ts';
import { groupRows } from './group-rows.ts';
import { MOST_ROWS } from './list-page.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, toIso } from './row-values.ts';

/** A list to choose from is no use beyond this; names that agents invent have no end. */
const MOST_NAMES = 1_000;
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

type ServersQuery = Pick<Resolved<ListQuery>, 'server' | 'range' | 'limit' | 'cursor'>;

const Key = z.tuple([z.string()]);

/** Servers by name, a page of them; one that only listed its tools is among them. */
export async function answerServers(
  query: ServersQuery,
  { store, nowMs, rawDays }: Asking,
): Promise<ServersAnswer> {
  const { limit = MOST_ROWS, cursor } = query;
  const place = cursor === undefined ? undefined : parseCursor('servers', { text: cursor, key: Key });
  const { sql, params } = allOf(whereFilters(query, ['server']), behind(place?.after[0]));
  // Each read is of the same names, and the first of all are among the first of each.
  const read = { rows: limit + 1, where: sql };
  const [seen, used, listed] = await Promise.all([
    store.query({
      sql: namesSql(read),
      params: { ...params, kept_ms: keptFromMs(nowMs, rawDays) },
      row: NamesRow,
    }),
    store.query({ sql: usageSql(read), params, row: UsageRow }),
    store.query({ sql: listedSql(read), params, row: ListedRow }),
  ]);
  const names = sorted([...seen, ...used, ...listed].map(({ server }) => server));
  const [seenOf, usedOf, listedOf] = [byServer(seen), byServer(used), byServer(listed)];
  const servers = names.slice(0, limit).map((server) => {
    const [named, called, offered] = [seenOf(server), usedOf(server), listedOf(server)];
    const lastSeconds = Math.max(named?.last_seconds ?? 0, called?.last_seconds ?? 0);
    return {
      server,
      environments: sorted([...(named?.environments ?? []), ...(called?.environments ?? [])]),
      versions: sorted(named?.versions ?? []),
      clients: sorted(named?.clients ?? []),
      tools: sorted([...(called?.tools ?? []), ...(offered?.tools ?? [])]),
      lastEventAt: toIso(Math.max(lastSeconds * 1_000_000, offered?.last_us ?? 0)),
    };
  });
  const last = servers.at(-1);
  if (last === undefined || names.length <= limit) return { servers };
  return { servers, nextCursor: encodeCursor('servers', { range: query.range, after: [last.server] }) };
}

function behind(server: string | undefined): Where {
  if (server === undefined) return always('');
  return { sql: 'server_name > {after_server:String}', params: { after_server: server } };
}

/** Each read has one row a server. */
function byServer<Row extends { readonly server: string }>(rows: readonly Row[]) {
  const groups = groupRows(rows, ({ server }) => server);
  return (server: string): Row | undefined => groups.get(server)?.[0];
}

/** From the start of the day on: minutes and days of clients leave a whole day at a time. */
function keptFromMs(nowMs: number, rawDays: number): number {
  return Math.max(0, Math.floor(nowMs / DAY_MS) - rawDays) * DAY_MS;
}

/** Every name once, without the empty one that means "not known"; in the engine's order, which is of bytes. */
const sorted = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== '').sort(byBytes);

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

interface Read {
  readonly where: string;
  /** Servers, the first by name. */
  readonly rows: number;
}

const namesSql = ({ where, rows }: Read) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(toString(environment)) AS environments,
      groupUniqArrayIf(${MOST_NAMES})(toString(name), part = 'version' AND is_kept) AS versions,
      groupUniqArrayIf(${MOST_NAMES})(toString(name), part = 'client' AND is_kept) AS clients,
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

const usageSql = ({ where, rows }: Read) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(toString(environment)) AS environments,
      groupUniqArray(${MOST_NAMES})(toString(tool_name)) AS tools,
      toUnixTimestamp(max(last_call)) AS last_seconds
    FROM tool_usage
    WHERE ${where}
    GROUP BY server
    ORDER BY server
    LIMIT ${rows}`;

const listedSql = ({ where, rows }: Read) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(tool_name) AS tools,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us
    FROM tools
    WHERE ${where}
    GROUP BY server
    ORDER BY server
    LIMIT ${rows}`;

// What the filters of every page offer: servers, and per server its environments, versions, clients and tools. It does not
// depend on the range, so that a page without data can still be filtered to one that has some. `tool_hours` knows
// thirteen months of names in one row per hour; versions and clients are only in `tool_minutes`.

import { z } from 'zod';
import type { ServersAnswer } from '../../contract/answers.ts';
import { allOf, type Filters, whereFilters } from './filters.ts';
import type { Asking } from './ports.ts';
import { count, toIso } from './row-values.ts';

/** A list to choose from is no use beyond this; names that agents invent have no end. */
const MOST_NAMES = 1_000;

const HoursRow = z.object({
  server: z.string(),
  environments: z.array(z.string()),
  tools: z.array(z.string()),
  last_seconds: count,
});
const MinutesRow = z.object({
  server: z.string(),
  versions: z.array(z.string()),
  clients: z.array(z.string()),
});
const ListedRow = z.object({ server: z.string(), tools: z.array(z.string()), last_us: count });

/** Servers by name; one that only listed its tools is among them. */
export async function answerServers(
  query: Pick<Filters, 'server'>,
  { store }: Asking,
): Promise<ServersAnswer> {
  const { sql, params } = allOf(whereFilters(query, ['server']));
  const [hours, minutes, listed] = await Promise.all([
    store.query({ sql: hoursSql(sql), params, row: HoursRow }),
    store.query({ sql: minutesSql(sql), params, row: MinutesRow }),
    store.query({ sql: listedSql(sql), params, row: ListedRow }),
  ]);
  const names = sorted([...hours, ...listed].map(({ server }) => server));
  const servers = names.map((server) => {
    const called = hours.find((row) => row.server === server);
    const recent = minutes.find((row) => row.server === server);
    const offered = listed.find((row) => row.server === server);
    return {
      server,
      environments: sorted(called?.environments ?? []),
      versions: sorted(recent?.versions ?? []),
      clients: sorted(recent?.clients ?? []),
      tools: sorted([...(called?.tools ?? []), ...(offered?.tools ?? [])]),
      lastEventAt: toIso(Math.max((called?.last_seconds ?? 0) * 1_000_000, offered?.last_us ?? 0)),
    };
  });
  return { servers };
}

/** Every name once, without the empty one that means "not known". */
const sorted = (names: readonly string[]) => [...new Set(names)].filter((name) => name !== '').sort();

const hoursSql = (where: string) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(environment) AS environments,
      groupUniqArray(${MOST_NAMES})(tool_name) AS tools,
      toUnixTimestamp(max(last_call)) AS last_seconds
    FROM tool_hours
    WHERE ${where}
    GROUP BY server`;

const minutesSql = (where: string) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(server_version) AS versions,
      groupUniqArray(${MOST_NAMES})(client_name) AS clients
    FROM tool_minutes
    WHERE ${where}
    GROUP BY server`;

const listedSql = (where: string) => `
    SELECT
      server_name AS server,
      groupUniqArray(${MOST_NAMES})(tool_name) AS tools,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us
    FROM tools
    WHERE ${where}
    GROUP BY server`;

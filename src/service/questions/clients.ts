// Who called, and how it ended. The minutes are the coarsest rollup that knows clients, so an older part of the range is not
// counted, and the answer says from when on it is. Versions of a client stand in no rollup but that of sessions.

import { z } from 'zod';
import type { ClientRow, ClientsAnswer } from '../../contract/overview.ts';
import type { CommonQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { keptRange } from './call-window.ts';
import { type Counted, countedCalls, countedClients } from './figures.ts';
import { allOf, type Filters, whereFilters } from './filters.ts';
import { alignRange, chooseGrainFor } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count } from './row-values.ts';

/** A client may call itself anything; beyond these they are only counted. */
const MOST_CLIENTS = 20;
const MOST_NAMES = 1_000;
const MINUTE_SECONDS = 60;

const Row = z.object({ client: z.string(), n: count, done: count, by_client: count, by_server: count });
type Row = z.infer<typeof Row>;
const VersionsRow = z.object({ client: z.string(), versions: z.array(z.string()) });

/** Calls of every client by outcome. */
export async function answerClients(query: Resolved<CommonQuery>, asking: Asking): Promise<ClientsAnswer> {
  const range = alignRange(query.range, asking);
  const counted = keptRange(range, asking);
  if (counted === undefined) return { range, counted: null, clients: [], rest: { clients: 0, calls: 0 } };
  const [rows, versions] = await Promise.all([
    readRows(counted, query, asking),
    readVersions(counted, query, asking),
  ]);
  const rest = rows.slice(MOST_CLIENTS);
  return {
    range,
    counted,
    clients: rows.slice(0, MOST_CLIENTS).map((row) => toClientRow(row, versions.get(row.client) ?? [])),
    rest: { clients: rest.length, calls: rest.reduce((sum, { n }) => sum + n, 0) },
  };
}

function readRows(range: TimeRange, filters: Filters, asking: Asking): Promise<Row[]> {
  const days = countedClients({ range, filters }, asking);
  if (days !== undefined)
    return asking.store.query({ sql: daysSql(days), params: days.where.params, row: Row });
  const grain = chooseGrainFor(MINUTE_SECONDS, { range, filters, reach: asking });
  const counted = countedCalls(grain, { range, filters });
  return asking.store.query({ sql: clientsSql(counted), params: counted.where.params, row: Row });
}

function clientsSql({ figures, where }: Counted): string {
  const sumOf = (condition: string): string =>
    figures.calls === 'count()' ? `countIf(${condition})` : `sumIf(calls, ${condition})`;
  return `
    SELECT
      toString(client_name) AS client,
      ${figures.calls} AS n,
      ${sumOf(`outcome = 'ok'`)} AS done,
      ${sumOf(`fault = 'client'`)} AS by_client,
      ${sumOf(`fault = 'server'`)} AS by_server
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY client
    ORDER BY n DESC, client
    LIMIT ${MOST_NAMES}`;
}

const daysSql = ({ figures, where }: Counted) => `
    SELECT
      toString(client_name) AS client,
      ${figures.calls} AS n,
      ${figures.ok} AS done,
      sum(client_errors) AS by_client,
      ${figures.errors} - by_client AS by_server
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY client
    ORDER BY n DESC, client
    LIMIT ${MOST_NAMES}`;

async function readVersions(
  { fromMs, toMs }: TimeRange,
  filters: Filters,
  { store }: Asking,
): Promise<Map<string, string[]>> {
  const where = allOf(whereFilters(filters, ['server', 'environment', 'client']), {
    sql: `day >= toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')) AND day <= toDate(fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC'))`,
    params: { from_ms: fromMs, to_ms: toMs - 1 },
  });
  const rows = await store.query({
    sql: `
    SELECT toString(client_name) AS client, arraySort(groupUniqArray(10)(toString(client_version))) AS versions
    FROM sessions
    WHERE ${where.sql} AND client_name != '' AND client_version != ''
    GROUP BY client
    LIMIT ${MOST_NAMES}`,
    params: where.params,
    row: VersionsRow,
  });
  return new Map(rows.map(({ client, versions }) => [client, versions]));
}

function toClientRow({ client, n, done, by_client, by_server }: Row, versions: readonly string[]): ClientRow {
  return {
    client,
    versions: [...versions],
    calls: n,
    ok: done,
    clientFaults: by_client,
    serverFaults: by_server,
    neither: n - done - by_client - by_server,
    errorRate: toProportion(by_client + by_server, n),
  };
}

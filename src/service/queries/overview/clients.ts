// Clients and the outcome of their calls. The minutes are the coarsest rollup with a client column, so an
// older part of the range is not counted, and the response says where counting starts. Only the sessions
// rollup has the versions of a client.

import { z } from 'zod';
import type { ClientRow, ClientsResponse } from '../../../contract/overview.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { type CallSource, chooseClientSource, toCallSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { allOf, type CommonFilters, whereFilters, whereGiven } from '../query/filters.ts';
import { alignRange, chooseGrainFor } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Client names are arbitrary; beyond this limit clients are only counted. */
const MAX_CLIENTS = 20;
const MAX_NAMES = 1_000;
const MINUTE_SECONDS = 60;

const Row = z.object({ client: z.string(), n: count, done: count, by_client: count, by_server: count });
type Row = z.infer<typeof Row>;
const VersionsRow = z.object({ client: z.string(), versions: z.array(z.string()) });

/** Calls of every client by outcome. */
export async function getClients(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<ClientsResponse> {
  const range = alignRange(query.range, context);
  const counted = clipToRetention(range, context);
  if (counted === undefined) return { range, counted: null, clients: [], rest: { clients: 0, calls: 0 } };
  const [rows, versions] = await Promise.all([
    readClientCounts(counted, query, context),
    readVersions(counted, query, context),
  ]);
  const rest = rows.slice(MAX_CLIENTS);
  return {
    range,
    counted,
    clients: rows.slice(0, MAX_CLIENTS).map((row) => toClientRow(row, versions.get(row.client) ?? [])),
    rest: { clients: rest.length, calls: rest.reduce((sum, { n }) => sum + n, 0) },
  };
}

function readClientCounts(range: TimeRange, filters: CommonFilters, context: QueryContext): Promise<Row[]> {
  const days = chooseClientSource({ range, filters }, context);
  if (days !== undefined)
    return context.store.query({ sql: daysSql(days), params: days.where.params, row: Row });
  const grain = chooseGrainFor(MINUTE_SECONDS, { range, filters, retention: context });
  const source = toCallSource(grain, { range, filters });
  return context.store.query({ sql: clientsSql(source), params: source.where.params, row: Row });
}

function clientsSql({ aggregates, where }: CallSource): string {
  const sumOf = (condition: string): string =>
    aggregates.calls === 'count()' ? `countIf(${condition})` : `sumIf(calls, ${condition})`;
  return `
    SELECT
      toString(client_name) AS client,
      ${aggregates.calls} AS n,
      ${sumOf(`outcome = 'ok'`)} AS done,
      ${sumOf(`fault = 'client'`)} AS by_client,
      ${sumOf(`fault = 'server'`)} AS by_server
    FROM ${aggregates.table}
    WHERE ${where.sql}
    GROUP BY client
    ORDER BY n DESC, client
    LIMIT ${MAX_NAMES}`;
}

const daysSql = ({ aggregates, where }: CallSource) => `
    SELECT
      toString(client_name) AS client,
      ${aggregates.calls} AS n,
      ${aggregates.ok} AS done,
      sum(client_errors) AS by_client,
      ${aggregates.errors} - by_client AS by_server
    FROM ${aggregates.table}
    WHERE ${where.sql}
    GROUP BY client
    ORDER BY n DESC, client
    LIMIT ${MAX_NAMES}`;

async function readVersions(
  { fromMs, toMs }: TimeRange,
  { server, environment, client }: CommonFilters,
  { store }: QueryContext,
): Promise<Map<string, string[]>> {
  const where = allOf(
    whereFilters('sessions', { server, environment }),
    whereGiven('client_name = {client:String}', { client }),
    {
      sql: `day >= toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')) AND day <= toDate(fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC'))`,
      params: { from_ms: fromMs, to_ms: toMs - 1 },
    },
  );
  const rows = await store.query({
    sql: `
    SELECT toString(client_name) AS client, arraySort(groupUniqArray(10)(toString(client_version))) AS versions
    FROM sessions
    WHERE ${where.sql} AND client_name != '' AND client_version != ''
    GROUP BY client
    LIMIT ${MAX_NAMES}`,
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

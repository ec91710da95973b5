// Clients and the outcome of their calls. The minutes are the coarsest rollup with a client column, so an
// older part of the range is not counted, and the response says where counting starts. Only the sessions
// rollup has the versions of a client.

import { z } from 'zod';
import type { ClientRow, ClientsResponse } from '../../../contract/overview.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { countCallsIf, toCallSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { chooseClientSource } from '../query/day-split.ts';
import { compareColumn, whereFilter } from '../query/filter-condition.ts';
import { allOf, type CommonFilters, pickFilters, whereFilters } from '../query/filters.ts';
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

async function readClientCounts(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<Row[]> {
  const selection = { range, filters };
  const days = await chooseClientSource(selection, context);
  const { aggregates, where } =
    days ?? toCallSource(chooseGrainFor(MINUTE_SECONDS, { ...selection, retention: context }), selection);
  const clientErrors = days ? 'sum(client_errors)' : countCallsIf(aggregates, `fault = 'client'`);
  // Overview, clients: the days of clients are sorted by server and client; minutes and calls by server and time.
  return context.store.query({
    sql: `
    SELECT
      toString(client_name) AS client,
      ${aggregates.calls} AS n,
      ${aggregates.ok} AS done,
      ${clientErrors} AS by_client,
      ${aggregates.errors} - by_client AS by_server
    FROM ${aggregates.table}
    WHERE ${where.sql}
    GROUP BY client
    ORDER BY n DESC, client
    LIMIT ${MAX_NAMES}`,
    params: where.params,
    row: Row,
    callRange: range,
  });
}

async function readVersions(
  { fromMs, toMs }: TimeRange,
  filters: CommonFilters,
  { store }: QueryContext,
): Promise<Map<string, string[]>> {
  const where = allOf(
    whereFilters('sessions', pickFilters('sessions', filters)),
    whereFilter('client', filters.client, compareColumn('client_name')),
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

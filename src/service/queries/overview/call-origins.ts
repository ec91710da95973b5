// Calls and wrong calls by client, server version and catalogue. Whole days come from the days of clients, which are sorted by
// server and client; wrong calls are all failures, which have a table of their own. It has no catalogue, so for one tool, whose
// definitions are told apart, failures are read among all calls.

import { z } from 'zod';
import { getSingleValue } from '../../../contract/filter-value.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource, toFailureSource } from '../query/call-source.ts';
import { splitIntoDays } from '../query/day-split.ts';
import { allOf, type CallSelection, rawSql } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { whereWrongCall } from '../query/wrong-call.ts';

const Row = z.object({
  server: z.string(),
  client: z.string(),
  version: z.string(),
  catalogue: z.string(),
  n: count,
});

/** Calls of one origin. */
export interface OriginCount {
  readonly server: string;
  readonly client: string;
  readonly version: string;
  /** Empty unless one tool is selected. */
  readonly catalogue: string;
  readonly n: number;
  readonly wrong: number;
}

/** Names of clients and versions are limited per server and day. */
const MAX_ROWS = 50_000;

/**
 * @param selection.range single calls of it are retained
 * @returns rows to sum, several for one origin
 */
export async function readOriginCounts(
  selection: CallSelection,
  context: QueryContext,
): Promise<OriginCount[]> {
  const [calls, wrong] = await Promise.all([readCalls(selection, context), readWrong(selection, context)]);
  return [
    ...calls.map((row) => ({ ...row, wrong: 0 })),
    ...wrong.map(({ n, ...row }) => ({ ...row, n: 0, wrong: n })),
  ];
}

const isOneTool = ({ filters }: CallSelection): boolean =>
  getSingleValue(filters.server) !== undefined && getSingleValue(filters.tool) !== undefined;

const originSql = (withCatalogue: boolean): string => `
      toString(server_name) AS server,
      toString(client_name) AS client,
      toString(server_version) AS version,
      ${withCatalogue ? 'toString(catalogue_hash)' : `''`} AS catalogue`;

async function readCalls(selection: CallSelection, context: QueryContext) {
  const { calls, days } = await splitIntoDays(selection, context);
  const origin = originSql(isOneTool(selection));
  const whole = `
      UNION ALL
      SELECT ${origin}, sum(client_days.calls) AS of_origin
      FROM client_days WHERE ${days} GROUP BY server, client, version, catalogue`;
  return context.store.query({
    sql: `
    SELECT server, client, version, catalogue, sum(of_origin) AS n
    FROM (
      SELECT ${origin}, count() AS of_origin
      FROM calls WHERE ${calls.sql} GROUP BY server, client, version, catalogue${days === undefined ? '' : whole}
    )
    GROUP BY server, client, version, catalogue
    LIMIT ${MAX_ROWS}`,
    params: calls.params,
    row: Row,
  });
}

function readWrong(selection: CallSelection, { store, errorCodes }: QueryContext) {
  const isOne = isOneTool(selection);
  const { table, where } = isOne
    ? { table: 'calls', where: allOf(toCallSource('calls', selection).where, rawSql(`fault != 'none'`)) }
    : toFailureSource(selection);
  const wrong = whereWrongCall(errorCodes);
  return store.query({
    sql: `
    SELECT ${originSql(isOne)}, count() AS n
    FROM ${table}
    WHERE ${where.sql} AND ${wrong.sql}
    GROUP BY server, client, version, catalogue
    LIMIT ${MAX_ROWS}`,
    params: { ...where.params, ...wrong.params },
    row: Row,
  });
}

const CatalogueRow = z.object({ catalogue: z.string(), hash: z.string() });

/** The definition of one tool in each catalogue, by hash. */
export async function readCatalogueDefinitions(
  { server, tool }: { readonly server: string; readonly tool: string },
  { store }: QueryContext,
): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query({
    sql: `
    SELECT catalogue_hash AS catalogue, leftPad(lower(hex(any(definition_hash))), 16, '0') AS hash
    FROM catalogue_tools
    WHERE server_name = {server:String} AND tool_name = {tool:String}
    GROUP BY catalogue`,
    params: { server, tool },
    row: CatalogueRow,
  });
  return new Map(rows.map(({ catalogue, hash }) => [catalogue, hash]));
}

// Who called superseded tools in the days before: their clients with versions, which only sessions and single
// calls have.
//
// Serves the retirement tab of the tools page and the page of one retirement. The key of `calls` is server and
// time, so the days before are a short range of few servers.

import { z } from 'zod';
import type { RetirementCaller, RetirementRow } from '../../../contract/retirements.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { allOf, rawSql } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toToolKey } from '../query/tool-identity.ts';

const DAY_MS = 86_400_000;
const MAX_RECENT = 5;
const MAX_CALLERS = 100;

const Row = z.object({
  ...{ server: z.string(), tool: z.string(), client: z.string(), client_version: z.string() },
  ...{ n: count, failed: count, first_us: count, last_us: count, call_days: z.record(z.string(), count) },
});
type Row = z.infer<typeof Row>;

/** @returns the callers of a tool within its own `requiredDays`, last one first */
export async function readRecentCallers(
  rows: readonly RetirementRow[],
  context: QueryContext,
): Promise<(row: RetirementRow) => RetirementRow['callers']> {
  const called = rows.filter(({ verdict }) => verdict === 'still_called');
  if (called.length === 0) return () => [];
  const read = [...groupBy(called, ({ requiredDays }) => String(requiredDays)).values()].map((group) =>
    readCallers(group, toRecentDays(group[0]?.requiredDays ?? 0, context), context),
  );
  const callers = groupBy((await Promise.all(read)).flat(), toToolKey);
  return (row) =>
    (callers.get(toToolKey(row)) ?? [])
      .toSorted((one, other) => other.last_us - one.last_us)
      .slice(0, MAX_RECENT)
      .map(({ client, client_version, n, last_us }) => ({
        ...{ client, clientVersion: client_version, calls: n, lastCalledAt: formatIso(last_us) },
      }));
}

function toRecentDays(days: number, { nowMs, rawDays }: QueryContext): TimeRange {
  return { fromMs: nowMs - Math.min(days, rawDays) * DAY_MS, toMs: nowMs + DAY_MS };
}

interface CallerSelection {
  readonly server: string;
  readonly tool: string;
}

/** The callers of some tools of one server, most calls first. @param counted single calls of it are kept */
export async function readToolCallers(
  tools: readonly CallerSelection[],
  counted: TimeRange,
  context: QueryContext,
): Promise<RetirementCaller[]> {
  const rows = await readCallers(tools, counted, context);
  return rows
    .toSorted((one, other) => other.n - one.n || other.last_us - one.last_us)
    .slice(0, MAX_CALLERS)
    .map((row) => ({
      tool: row.tool,
      client: row.client,
      clientVersion: row.client_version,
      calls: row.n,
      errors: row.failed,
      firstCalledAt: formatIso(row.first_us),
      lastCalledAt: formatIso(row.last_us),
      days: Object.entries(row.call_days)
        .map(([day, calls]) => ({ atMs: Number(day) * DAY_MS, calls }))
        .sort((one, other) => one.atMs - other.atMs),
    }));
}

async function readCallers(
  tools: readonly CallerSelection[],
  range: TimeRange,
  { store }: QueryContext,
): Promise<Row[]> {
  const where = allOf(inRange('started_at', range), rawSql(COUNTED_CALLS), {
    sql: 'server_name IN {servers:Array(String)} AND tool_name IN {tools:Array(String)}',
    params: {
      servers: [...new Set(tools.map(({ server }) => server))],
      tools: [...new Set(tools.map(({ tool }) => tool))],
    },
  });
  const rows = await store.query({
    sql: `
    SELECT
      toString(server_name) AS server,
      toString(tool_name) AS tool,
      toString(client_name) AS client,
      toString(calls.client_version) AS client_version,
      count() AS n,
      countIf(fault != 'none') AS failed,
      toUnixTimestamp64Micro(min(started_at)) AS first_us,
      toUnixTimestamp64Micro(max(started_at)) AS last_us,
      sumMap(map(toString(toUInt32(toDate(started_at))), toUInt64(1))) AS call_days
    FROM calls
    WHERE ${where.sql}
    GROUP BY server, tool, client, client_version`,
    params: where.params,
    row: Row,
    callRange: range,
  });
  // The condition also selects a tool of the same name on another of the servers.
  const wanted = new Set(tools.map(toToolKey));
  return rows.filter((row) => wanted.has(toToolKey(row)));
}

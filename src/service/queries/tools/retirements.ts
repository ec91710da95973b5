// Tools that are superseded or deprecated, with a verdict on whether they can be removed.
//
// Serves the retirement tab of the tools page and the page of one retirement. Definitions and `tool_usage` have one
// row per tool, version and environment, and no retention limit. `tool_days`, whose key is server and tool, has the
// days with calls of thirteen months. Only the callers of tools that are still called come from single calls: those
// of the last days, by the key's server and time.

import { z } from 'zod';
import type { FilterValue, MergedFilters } from '../../../contract/filter-value.ts';
import {
  RETIREMENT_VERDICTS,
  type RetirementRow,
  type RetirementsQuery,
  type RetirementsResponse,
} from '../../../contract/retirements.ts';
import { findSupersededTools, type SupersededTool } from '../../../core/advice/superseded-tools.ts';
import type { ToolDefinition } from '../../../core/model/catalogue.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { allOf, whereFilters } from '../query/filters.ts';
import { toListPage } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ToolIdentity, toToolKey } from '../query/tool-identity.ts';
import { type ListedDefinition, readDefinitions } from './definitions.ts';
import { evaluateRetirement, MIN_QUIET_DAYS } from './evaluate-retirement.ts';
import { readRecentCallers } from './recent-callers.ts';

const UsageRow = z.object({ server: z.string(), tool: z.string(), first_us: count, last_us: count });
type UsageRow = z.infer<typeof UsageRow>;
const DaysRow = z.object({ server: z.string(), tool: z.string(), n: count, call_days: z.array(count) });
type DaysRow = z.infer<typeof DaysRow>;

/** One page of all superseded and deprecated tools. */
export async function getRetirements(
  query: MergedFilters<RetirementsQuery>,
  context: QueryContext,
): Promise<RetirementsResponse> {
  const rows = await readRetirements(query.server, context);
  const range = { fromMs: 0, toMs: context.nowMs };
  const page = toListPage(rows, { kind: 'retirements', query, range });
  return { minQuietDays: MIN_QUIET_DAYS, retirements: [...page.rows], ...page.next };
}

/** @param server undefined means all */
export async function readRetirements(
  server: FilterValue | undefined,
  context: QueryContext,
): Promise<RetirementRow[]> {
  const [definitions, usage] = await Promise.all([
    readDefinitions({ server }, context),
    readUsage(server, context),
  ]);
  const superseded = findSuperseded(definitions, usage);
  if (superseded.length === 0) return [];
  const days = await readCallDays(superseded, context);
  const evaluated = superseded
    .map((one) => toRow(one, { definitions, usage, days, nowMs: context.nowMs }))
    // A tool that is neither listed nor called any more is removed already.
    .filter(({ isListed, verdict }) => isListed !== false || verdict === 'still_called');
  const callersOf = await readRecentCallers(evaluated, context);
  return evaluated.map((row) => ({ ...row, callers: callersOf(row) })).sort(compareRows);
}

function compareRows(one: RetirementRow, other: RetirementRow): number {
  const [a, b] = [one, other].map(({ verdict }) => RETIREMENT_VERDICTS.indexOf(verdict));
  return (a ?? 0) - (b ?? 0) || (toToolKey(one) < toToolKey(other) ? -1 : 1);
}

interface Superseded extends SupersededTool {
  readonly server: string;
}

/** Names that were only called may be invented by agents; they count for servers without a listing. */
function findSuperseded(definitions: readonly ListedDefinition[], usage: readonly UsageRow[]): Superseded[] {
  const listed = groupBy(definitions, ({ server }) => server);
  const called = groupBy(usage, ({ server }) => server);
  return [...new Set([...listed.keys(), ...called.keys()])].flatMap((server) => {
    const tools = listed.has(server)
      ? toNewestDefinitions(listed.get(server) ?? [])
      : (called.get(server) ?? []).map(({ tool }): ToolDefinition => ({ name: tool }));
    return findSupersededTools(tools).map((one) => ({ ...one, server }));
  });
}

/** One definition of each tool, also of tools that are no longer listed. */
function toNewestDefinitions(definitions: readonly ListedDefinition[]): ToolDefinition[] {
  return [...groupBy(definitions, ({ tool }) => tool)].map(([name, own]) => {
    const [newest] = own.toSorted(
      (one, other) => Number(other.isCurrent) - Number(one.isCurrent) || other.lastUs - one.lastUs,
    );
    return newest?.definition ?? { name };
  });
}

function readUsage(server: FilterValue | undefined, { store }: QueryContext): Promise<UsageRow[]> {
  const where = allOf(whereFilters('tool_usage', { server }));
  return store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      toUnixTimestamp64Micro(min(first_call)) AS first_us,
      toUnixTimestamp64Micro(max(last_call)) AS last_us
    FROM tool_usage
    WHERE ${where.sql}
    GROUP BY server, tool
    ORDER BY server, tool`,
    params: where.params,
    row: UsageRow,
  });
}

function readCallDays(superseded: readonly Superseded[], { store }: QueryContext): Promise<DaysRow[]> {
  return store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      sum(calls) AS n,
      arraySort(groupUniqArray(toUInt32(day))) AS call_days
    FROM tool_days
    WHERE server_name IN {servers:Array(String)} AND tool_name IN {tools:Array(String)}
    GROUP BY server, tool`,
    params: {
      servers: [...new Set(superseded.map(({ server }) => server))],
      tools: [...new Set(superseded.flatMap(({ tool, successor }) => [tool, successor ?? tool]))],
    },
    row: DaysRow,
  });
}

interface RowSources {
  readonly definitions: readonly ListedDefinition[];
  readonly usage: readonly UsageRow[];
  readonly days: readonly DaysRow[];
  readonly nowMs: number;
}

function toRow({ server, tool, successor, reason }: Superseded, sources: RowSources): RetirementRow {
  const isOwn = (row: ToolIdentity): boolean => row.server === server && row.tool === tool;
  const listed = sources.definitions.filter(isOwn);
  const used = sources.usage.find(isOwn);
  const days = sources.days.find(isOwn);
  const knownSinceUs = Math.min(used?.first_us ?? Infinity, ...listed.map(({ firstUs }) => firstUs));
  const serverSeenUs = toServerSeenUs(server, sources);
  const evidence = { lastCallUs: used?.last_us, knownSinceUs, serverSeenUs, nowUs: sources.nowMs * 1_000 };
  const { verdict, ...stats } = evaluateRetirement({ ...evidence, callDays: days?.call_days ?? [] });
  const isSuccessor = (row: ToolIdentity): boolean => row.server === server && row.tool === successor;
  return {
    ...{ server, tool, successor: successor ?? null, reason },
    isListed: listed.length === 0 ? null : listed.some(({ isInUse }) => isInUse),
    ...{ verdict, ...stats },
    knownSince: formatIso(knownSinceUs),
    lastCalledAt: used === undefined ? null : formatIso(used.last_us),
    serverSeenAt: formatIso(serverSeenUs),
    calls: days?.n ?? 0,
    successorCalls: successor === undefined ? null : (sources.days.find(isSuccessor)?.n ?? 0),
    callers: [],
  };
}

function toServerSeenUs(server: string, { definitions, usage }: RowSources): number {
  const listings = definitions.filter((row) => row.server === server).map(({ lastUs }) => lastUs);
  const calls = usage.filter((row) => row.server === server).map(({ last_us }) => last_us);
  return Math.max(...listings, ...calls);
}

// The version history of a tool: each definition and the stats of the calls that met it. A call carries its
// catalogue hash; `catalogue_tools` maps it to a definition. Calls of an unknown catalogue belong to no
// version.
//
// Serves the tool page and the changes on the overview. The key of `tool_days` is server, tool and
// environment; `calls` is read by server and time.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { DefinitionChange, ToolVersion } from '../../../contract/tool.ts';
import { compareDefinitions } from '../../../core/advice/compare-definitions.ts';
import { estimateTokens } from '../../../core/advice/definition-tokens.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { splitIntoDays } from '../query/day-split.ts';
import type { CommonFilters } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { ListedDefinition } from './definitions.ts';

const Row = z.object({ server: z.string(), tool: z.string(), hash: z.string(), n: count, failed: count });
/** Calls by definition; `hash` is empty for an unknown catalogue. */
export type DefinitionUse = z.infer<typeof Row>;

/** Counts of the calls that met one definition. */
export interface VersionCounts {
  readonly hash: string;
  readonly n: number;
  readonly failed: number;
  readonly ok: number;
  readonly session_count: number;
}

/**
 * Calls and errors of some tools, by definition.
 *
 * @param query.tools a few names; tools with the same name on other servers are counted as well
 */
export async function readDefinitionUse(
  {
    span,
    filters,
    tools,
  }: { readonly span: TimeRange; readonly filters: CommonFilters; readonly tools: readonly string[] },
  context: QueryContext,
): Promise<DefinitionUse[]> {
  const { calls, days, daysTable } = await splitIntoDays({ range: span, filters }, context);
  const isOne = 'tool_name IN {tools:Array(String)}';
  const whole =
    days === undefined
      ? ''
      : `
      UNION ALL
      SELECT server_name, tool_name, toString(catalogue_hash) AS catalogue_hash, ${daysTable}.calls AS calls_of, errors AS failed_of
      FROM ${daysTable}
      WHERE ${days} AND ${isOne}`;
  return context.store.query({
    sql: `
    SELECT server_name AS server, tool_name AS tool, met_hash AS hash, sum(calls_of) AS n, sum(failed_of) AS failed
    FROM (
      SELECT
        server_name,
        tool_name,
        toString(calls.catalogue_hash) AS catalogue_hash,
        count() AS calls_of,
        countIf(fault != 'none') AS failed_of
      FROM calls
      WHERE ${calls.sql} AND ${isOne}
      GROUP BY server_name, tool_name, catalogue_hash${whole}
    ) AS used
    LEFT JOIN (
      SELECT server_name, catalogue_hash, tool_name, leftPad(lower(hex(any(definition_hash))), 16, '0') AS met_hash
      FROM catalogue_tools
      GROUP BY server_name, catalogue_hash, tool_name
    ) AS met USING (server_name, catalogue_hash, tool_name)
    GROUP BY server, tool, hash`,
    params: { ...calls.params, tools },
    row: Row,
  });
}

/**
 * The version history, newest version first.
 *
 * @param definitions of one tool, oldest first
 */
export function toToolVersions(
  definitions: readonly ListedDefinition[],
  uses: readonly VersionCounts[],
): ToolVersion[] {
  return definitions
    .map((listed, at): ToolVersion => {
      const use = uses.find(({ hash }) => hash === listed.hash);
      const [n, failed, ok] = [use?.n ?? 0, use?.failed ?? 0, use?.ok ?? 0];
      return {
        definitionHash: listed.hash,
        definition: { ...listed.json },
        definitionTokens: estimateTokens(listed.characters),
        firstSeenAt: formatIso(listed.firstUs),
        lastSeenAt: formatIso(listed.lastUs),
        listings: listed.listings,
        serverVersions: [...listed.serverVersions],
        isCurrent: listed.isCurrent,
        isInUse: listed.isInUse,
        calls: n,
        sessions: use?.session_count ?? 0,
        errorRate: toProportion(failed, n),
        triesPerSuccess: ok === 0 ? null : n / ok,
        changes: toDefinitionChanges(definitions[at - 1], listed),
      };
    })
    .reverse();
}

/** Describes the relevant changes from one definition to the next. */
export function toDefinitionChanges(
  before: ListedDefinition | undefined,
  after: ListedDefinition,
): DefinitionChange[] {
  if (before?.definition === undefined || after.definition === undefined) return [];
  return compareDefinitions([before.definition], [after.definition]).map(
    ({ kind, breaking, breaksPromise, path, sentence }) => ({
      ...{ kind, breaking, breaksPromise, argument: path, sentence },
    }),
  );
}

// The version rail of a tool: what each definition was, and how the calls that met it went. A call says which catalogue it met;
// `catalogue_tools` says which definition stood in it. Calls of an unknown catalogue belong to no version.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { DefinitionChange, ToolVersion } from '../../../contract/tool.ts';
import { compareDefinitions } from '../../../core/advice/compare-definitions.ts';
import { estimateTokens } from '../../../core/advice/definition-tokens.ts';
import { splitIntoDays } from '../query/call-source.ts';
import type { Filters } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { count, toIso } from '../query/row-values.ts';
import type { ListedDefinition } from './definitions.ts';

const Row = z.object({ server: z.string(), tool: z.string(), hash: z.string(), n: count, failed: count });
/** Calls by the definition they met; `hash` is empty for those of an unknown catalogue. */
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
 * @param asked.tools their names; few, and what else is called so is counted beside them
 */
export async function readDefinitionUse(
  {
    span,
    filters,
    tools,
  }: { readonly span: TimeRange; readonly filters: Filters; readonly tools: readonly string[] },
  { store }: QueryContext,
): Promise<DefinitionUse[]> {
  const { calls, days, daysTable } = splitIntoDays({ range: span, filters });
  const isOne = 'tool_name IN {tools:Array(String)}';
  const whole =
    days === undefined
      ? ''
      : `
      UNION ALL
      SELECT server_name, tool_name, toString(catalogue_hash) AS catalogue_hash, ${daysTable}.calls AS calls_of, errors AS failed_of
      FROM ${daysTable}
      WHERE ${days} AND ${isOne}`;
  return store.query({
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
 * The rail, newest version first.
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
        firstSeenAt: toIso(listed.firstUs),
        lastSeenAt: toIso(listed.lastUs),
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

/** What a person should know of a change from one listed definition to the next. */
export function toDefinitionChanges(
  before: ListedDefinition | undefined,
  after: ListedDefinition,
): DefinitionChange[] {
  if (before?.definition === undefined || after.definition === undefined) return [];
  return compareDefinitions([before.definition], [after.definition]).map(
    ({ kind, breaking, path, sentence }) => ({ kind, breaking, argument: path, sentence }),
  );
}

// The version rail of a tool: what each definition was, and how the calls that met it went. A call says which catalogue it met;
// `catalogue_tools` says which definition stood in it. Calls of an unknown catalogue belong to no version.

import { z } from 'zod';
import type { TimeRange } from '../../contract/time-range.ts';
import type { DefinitionChange, ToolVersion } from '../../contract/tool.ts';
import { compareDefinitions } from '../../core/advice/compare-definitions.ts';
import { estimateTokens } from '../../core/advice/definition-tokens.ts';
import { COUNTED_CALLS } from './call-window.ts';
import type { ListedDefinition } from './definitions.ts';
import { allOf, always, type Filters, whereFilters } from './filters.ts';
import { inRange } from './grain.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, toIso } from './row-values.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  hash: z.string(),
  n: count,
  failed: count,
  ok: count,
  session_count: count,
  last_us: count,
  clients: z.array(z.string()),
});
/** Use of one definition by the calls of a window; `hash` is empty for those of an unknown catalogue. */
export type DefinitionUse = z.infer<typeof Row>;

/** The definition that a call met, as a join on `calls`. */
export const MET_DEFINITION = `LEFT JOIN (
        SELECT server_name, catalogue_hash, tool_name, leftPad(lower(hex(any(definition_hash))), 16, '0') AS met_hash
        FROM catalogue_tools
        GROUP BY server_name, catalogue_hash, tool_name
      ) AS met USING (server_name, catalogue_hash, tool_name)`;

export async function readDefinitionUse(
  { span, filters }: { readonly span: TimeRange; readonly filters: Filters },
  { store }: Asking,
): Promise<DefinitionUse[]> {
  const where = allOf(inRange('started_at', span), always(COUNTED_CALLS), whereFilters(filters));
  return store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      met_hash AS hash,
      sum(calls_of) AS n,
      sum(failed_of) AS failed,
      sum(ok_of) AS ok,
      uniqCombinedMerge(sessions_of) AS session_count,
      toUnixTimestamp64Micro(max(last_of)) AS last_us,
      arraySort(arrayDistinct(arrayFlatten(groupArray(clients_of)))) AS clients
    FROM (
      SELECT
        server_name,
        tool_name,
        toString(calls.catalogue_hash) AS catalogue_hash,
        count() AS calls_of,
        countIf(fault != 'none') AS failed_of,
        countIf(outcome = 'ok') AS ok_of,
        uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions_of,
        max(started_at) AS last_of,
        groupUniqArray(20)(toString(client_name)) AS clients_of
      FROM calls
      WHERE ${where.sql}
      GROUP BY server_name, tool_name, catalogue_hash
    ) AS used
    ${MET_DEFINITION}
    GROUP BY server, tool, hash`,
    params: where.params,
    row: Row,
  });
}

/**
 * The rail, newest version first.
 *
 * @param definitions of one tool, oldest first
 */
export function toVersions(
  definitions: readonly ListedDefinition[],
  uses: readonly DefinitionUse[],
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
        calls: n,
        sessions: use?.session_count ?? 0,
        errorRate: toProportion(failed, n),
        triesPerSuccess: ok === 0 ? null : n / ok,
        changes: changesBetween(definitions[at - 1], listed),
      };
    })
    .reverse();
}

/** What a person should know of a change from one listed definition to the next. */
export function changesBetween(
  before: ListedDefinition | undefined,
  after: ListedDefinition,
): DefinitionChange[] {
  if (before?.definition === undefined || after.definition === undefined) return [];
  return compareDefinitions([before.definition], [after.definition]).map(
    ({ kind, breaking, path, sentence }) => ({ kind, breaking, argument: path, sentence }),
  );
}

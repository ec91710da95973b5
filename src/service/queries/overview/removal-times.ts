// When a tool was removed: the first listing without it. A listing with no new tool or definition has no
// recorded first time; then the last listing that had the tool is used, at most an hour earlier while the
// server runs.
//
// Serves the changes on the overview. The key of `tools` begins with the server, all of whose rows are
// needed.

import { z } from 'zod';
import { type FilterValue, passesFilter } from '../../../contract/filter-value.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { ListedDefinition } from '../tools/definitions.ts';

const Row = z.object({
  server: z.string(),
  environment: z.string(),
  tool: z.string(),
  first_us: count,
  last_us: count,
});
type Row = z.infer<typeof Row>;

/**
 * @param removed the last definition of each removed tool
 * @param environment undefined means all
 * @returns epoch microseconds, in the environment that kept the tool longest
 */
export async function readRemovalTimes(
  removed: readonly ListedDefinition[],
  environment: FilterValue | undefined,
  { store }: QueryContext,
): Promise<(listed: ListedDefinition) => number> {
  if (removed.length === 0) return ({ lastUs }) => lastUs;
  const rows = await store.query({
    sql: `
    SELECT
      server_name AS server,
      environment_in AS environment,
      tool_name AS tool,
      toUnixTimestamp64Micro(min(first_seen)) AS first_us,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us
    FROM tools
    ARRAY JOIN environments AS environment_in
    WHERE server_name IN {servers:Array(String)}
    GROUP BY server, environment, tool, definition_hash`,
    params: { servers: [...new Set(removed.map(({ server }) => server))] },
    row: Row,
  });
  const rowsOf = groupBy(rows, ({ server, environment: name }) => `${server}\n${name}`);
  return (listed) => {
    const removals = listed.environments
      .filter((name) => passesFilter(environment, name))
      .map((name) => toRemovalTime(listed, rowsOf.get(`${listed.server}\n${name}`) ?? []));
    return Math.max(listed.lastUs, ...removals);
  };
}

/** @param all everything its server listed in one environment */
function toRemovalTime({ tool }: ListedDefinition, all: readonly Row[]): number {
  const lastUs = Math.max(0, ...all.filter((row) => row.tool === tool).map(({ last_us }) => last_us));
  const later = all.filter(({ first_us }) => first_us > lastUs).map(({ first_us }) => first_us);
  return later.length === 0 ? lastUs : Math.min(...later);
}

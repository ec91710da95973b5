// Looks up the sessions that were active when a range began, once for all panels of a page: as a subquery, each
// statement on sessions would plan and run it again.
//
// Serves the overview and the sessions page. `sessions` has parts per day; `calls` is limited to the first day of
// the range and to the ids of those sessions, which are indexed.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { Filters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';
import { callsOfCutSessions, IS_CUT, needsGoingOn, type SessionScope } from './session-scope.ts';

/** With more sessions, a list takes the engine longer than the subquery. */
const MAX_LISTED_SESSIONS = 1_000;

const HashRow = z.object({ hash: z.string() });

/**
 * The scope of a query on sessions.
 *
 * @param selection.range aligned
 */
export async function openSessionScope(
  { range, filters }: { readonly range: TimeRange; readonly filters: Filters },
  context: QueryContext,
): Promise<SessionScope> {
  const scope = { range, filters, retention: context };
  return { ...scope, goingOn: needsGoingOn(scope) ? await readGoingOn(range, context) : undefined };
}

async function readGoingOn(range: TimeRange, { store }: QueryContext): Promise<SessionScope['goingOn']> {
  const cut = await queryNumber(store, {
    sql: `SELECT count() AS n FROM sessions WHERE ${IS_CUT}`,
    params: { from_ms: range.fromMs },
  });
  if (cut === 0) return [];
  if (cut > MAX_LISTED_SESSIONS) return undefined;
  const { sql, params } = callsOfCutSessions(range);
  const rows = await store.query({
    sql: `SELECT DISTINCT toString(${IDENTITY_HASH}) AS hash FROM calls WHERE ${sql} ORDER BY hash`,
    params,
    row: HashRow,
    callRange: range,
  });
  return rows.length > MAX_LISTED_SESSIONS ? undefined : rows.map(({ hash }) => BigInt(hash));
}

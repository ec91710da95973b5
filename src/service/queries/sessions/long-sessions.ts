// The sessions for alert rules on the number of calls in a session.

import type { QueryContext } from '../query/query-context.ts';
import { getSessions } from './sessions.ts';

export interface LongSessionsQuery {
  /** Sessions with more calls than this. */
  readonly moreThanCalls: number;
  /** Empty for all environments. */
  readonly environments: readonly string[];
  /** Sessions with a request since then, in epoch milliseconds. */
  readonly sinceMs: number;
}

const MAX_SESSIONS = 1_000;

/** A row of a session has no environment, so each environment is a query of its own. */
export async function readLongSessions(
  { moreThanCalls, environments, sinceMs }: LongSessionsQuery,
  context: QueryContext,
) {
  const range = { fromMs: sinceMs, toMs: context.nowMs };
  const query = { range, minCalls: moreThanCalls + 1, order: 'calls', limit: MAX_SESSIONS } as const;
  const pages = (environments.length > 0 ? environments : [undefined]).map(async (environment) => {
    const { sessions } = await getSessions({ ...query, environment }, context);
    return sessions.map(({ source, ...session }) => ({
      ...session,
      sessionSource: source,
      environment: environment ?? '',
    }));
  });
  return (await Promise.all(pages)).flat();
}

// Servers looked at for advice without anybody asking, those of which something came since the last look: "gone since 1.4.3" can only be said by whoever looked before the
// deploy. One server after the other, each over its newest calls, so that people's questions wait for little.

import { z } from 'zod';
import { alignRange } from '../query/grain.ts';
import type { QueryContext, StoreWriter } from '../query/query-context.ts';
import { readAdviceHistory, writeAdvice } from './advice-repository.ts';
import { evaluateRules, toStoredAdvice } from './evaluate-rules.ts';
import { readEvidence } from './evidence.ts';
import { splitResolved } from './resolved-advice.ts';

/** Days that a round looks back; of a busy server, the newest 5,000 calls of them. */
export const LOOKBACK_DAYS = 7;
const DAY_MS = 86_400_000;

/** How one round went, in servers and findings. */
export interface AdviceJobResult {
  readonly servers: number;
  /** Servers that the store gave no answer for; what is known of them stands. */
  readonly failed: number;
  readonly findings: number;
}

export interface AdviceJobOptions {
  readonly context: QueryContext & { readonly writer: StoreWriter };
  /** Aborted when the service ends: what was begun of a server is finished, and no other is begun. */
  readonly signal: AbortSignal;
  /** When the last look began, in epoch milliseconds; 0 before the first. */
  readonly lastRunMs: number;
}

const ServerRow = z.object({ server: z.string() });

/**
 * Finds what there is to advise on every server of which calls or listings came since the last look, and remembers it.
 *
 * @throws UpstreamError when the store does not even name the servers
 */
export async function runAdviceJob({
  context,
  signal,
  lastRunMs,
}: AdviceJobOptions): Promise<AdviceJobResult> {
  const servers = await readServers(lastRunMs, context);
  let failed = 0;
  let findings = 0;
  for (const server of servers) {
    if (signal.aborted) break;
    try {
      findings += await evaluateServer(server, context);
    } catch {
      // The others can be looked at all the same; the number is told, and the next round tries again.
      failed += 1;
    }
  }
  return { servers: servers.length, failed, findings };
}

/** @returns how many findings there are */
async function evaluateServer(server: string, context: AdviceJobOptions['context']): Promise<number> {
  const { writer, nowMs } = context;
  const range = alignRange({ fromMs: nowMs - LOOKBACK_DAYS * DAY_MS, toMs: nowMs }, context);
  const [evidence, history] = await Promise.all([
    readEvidence({ range, filters: { server } }, context),
    readAdviceHistory({ server }, context),
  ]);
  const { open } = splitResolved(evaluateRules(evidence, undefined), evidence, nowMs);
  await writeAdvice(toStoredAdvice(open, history, nowMs), { writer, nowMs });
  return open.length;
}

/** What was taken before a look may have reached the store after it; who is looked at twice loses nothing. */
const OVERLAP_MS = 3_600_000;
/** Those with the most new calls; the others have their turn when they are called again. */
const MAX_SERVERS = 500;

/** By the time they came, since the calls themselves may be older. */
async function readServers(lastRunMs: number, { store, nowMs }: QueryContext): Promise<string[]> {
  const since_ms = Math.max(lastRunMs - OVERLAP_MS, nowMs - LOOKBACK_DAYS * DAY_MS);
  const since = `fromUnixTimestamp64Milli({since_ms:Int64}, 'UTC')`;
  const rows = await store.query({
    sql: `
    SELECT server_name AS server
    FROM (
      SELECT server_name, count() AS n FROM calls WHERE ingested_at >= ${since} GROUP BY server_name
      UNION ALL
      SELECT server_name, count() AS n FROM tools WHERE last_listed >= ${since} GROUP BY server_name
    )
    GROUP BY server
    ORDER BY sum(n) DESC, server
    LIMIT ${MAX_SERVERS}`,
    params: { since_ms },
    row: ServerRow,
  });
  return rows.map(({ server }) => server);
}

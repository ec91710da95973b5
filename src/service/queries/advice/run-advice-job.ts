// The periodic advice run: evaluates every server that received data since the last run, because "gone since
// 1.4.3" requires a record from before the deploy. Servers are evaluated one after the other, each over its
// newest calls, to keep the load on page queries low.

import { z } from 'zod';
import type { StoreWriter } from '../../store/store.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readAdviceHistory, writeAdvice } from './advice-repository.ts';
import { evaluateRules, toStoredAdvice } from './evaluate-rules.ts';
import { readEvidence } from './evidence.ts';
import { splitResolved } from './resolved-advice.ts';

/** Days a run looks back; for a busy server, its newest 5,000 calls within them. */
export const LOOKBACK_DAYS = 7;
const DAY_MS = 86_400_000;

/** Result of one run, in servers and findings. */
export interface AdviceJobResult {
  readonly servers: number;
  /** Servers whose reads failed; their stored advice stays unchanged. */
  readonly failed: number;
  readonly findings: number;
}

export interface AdviceJobOptions {
  readonly context: QueryContext & { readonly writer: StoreWriter };
  /** Aborted when the service stops: the current server is finished and no other is started. */
  readonly signal: AbortSignal;
  /** Start of the last run in epoch milliseconds; 0 before the first. */
  readonly lastRunMs: number;
}

const ServerRow = z.object({ server: z.string() });

/**
 * Evaluates every server with calls or listings since the last run and stores the advice.
 *
 * @throws UpstreamError when the list of servers cannot be read
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
      // The remaining servers are still evaluated; the failure is counted and the next run tries again.
      failed += 1;
    }
  }
  return { servers: servers.length, failed, findings };
}

/** @returns the number of findings */
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

/** Calls received before a run may reach the store after it; evaluating a server twice is harmless. */
const OVERLAP_MS = 3_600_000;
/** Servers with the most new calls; the others follow when they are called again. */
const MAX_SERVERS = 500;

/** By time of arrival, since the calls themselves may be older. */
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

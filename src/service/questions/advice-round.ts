// Servers looked at for advice without anybody asking, those of which something came since the last look: "gone since 1.4.3" can only be said by whoever looked before the
// deploy. One server after the other, each over its newest calls, so that people's questions wait for little.

import { z } from 'zod';
import { readAdviceMemory, rememberAdvice } from './advice-memory.ts';
import { readEvidence } from './evidence.ts';
import { evaluateRules, toRemember } from './found-advice.ts';
import { splitMended } from './gone-advice.ts';
import { alignRange } from './grain.ts';
import type { Asking, StoreWriter } from './ports.ts';

/** Days that a round looks back; of a busy server, the newest 5,000 calls of them. */
export const ROUND_DAYS = 7;
const DAY_MS = 86_400_000;

/** How one round went, in servers and findings. */
export interface AdviceRound {
  readonly servers: number;
  /** Servers that the store gave no answer for; what is known of them stands. */
  readonly failed: number;
  readonly findings: number;
}

export interface AdviceRoundOptions {
  readonly asking: Asking & { readonly writer: StoreWriter };
  /** Aborted when the service ends: what was begun of a server is finished, and no other is begun. */
  readonly ending: AbortSignal;
  /** When the last look began, in epoch milliseconds; 0 before the first. */
  readonly lastMs: number;
}

const ServerRow = z.object({ server: z.string() });

/**
 * Finds what there is to advise on every server of which calls or listings came since the last look, and remembers it.
 *
 * @throws UpstreamError when the store does not even name the servers
 */
export async function runAdviceRound({ asking, ending, lastMs }: AdviceRoundOptions): Promise<AdviceRound> {
  const servers = await readServers(lastMs, asking);
  let failed = 0;
  let findings = 0;
  for (const server of servers) {
    if (ending.aborted) break;
    try {
      findings += await evaluateServer(server, asking);
    } catch {
      // The others can be looked at all the same; the number is told, and the next round tries again.
      failed += 1;
    }
  }
  return { servers: servers.length, failed, findings };
}

/** @returns how many findings there are */
async function evaluateServer(server: string, asking: AdviceRoundOptions['asking']): Promise<number> {
  const { writer, nowMs } = asking;
  const range = alignRange({ fromMs: nowMs - ROUND_DAYS * DAY_MS, toMs: nowMs }, asking);
  const [evidence, memory] = await Promise.all([
    readEvidence({ range, filters: { server } }, asking),
    readAdviceMemory({ server }, asking),
  ]);
  const { open } = splitMended(evaluateRules(evidence, undefined), evidence, nowMs);
  await rememberAdvice(toRemember(open, memory, nowMs), { writer, nowMs });
  return open.length;
}

/** What was taken before a look may have reached the store after it; who is looked at twice loses nothing. */
const OVERLAP_MS = 3_600_000;
/** Those with the most new calls; the others have their turn when they are called again. */
const MOST_SERVERS = 500;

/** By the time they came, since the calls themselves may be older. */
async function readServers(lastMs: number, { store, nowMs }: Asking): Promise<string[]> {
  const since_ms = Math.max(lastMs - OVERLAP_MS, nowMs - ROUND_DAYS * DAY_MS);
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
    LIMIT ${MOST_SERVERS}`,
    params: { since_ms },
    row: ServerRow,
  });
  return rows.map(({ server }) => server);
}

// Stores previously found advice and dismissals. Both are rows that a higher revision replaces. There are
// only a handful of findings per hour, so each write is its own insert.
//
// Serves the advice of the tools and tool pages. The key of `advice_seen` begins with the server; dismissals
// are few and read in full.

import { z } from 'zod';
import type { Finding } from '../../../core/advice/finding.ts';
import { formatDateTime64 } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import type { StoreWriter } from '../../store/store.ts';
import { insertOnce } from '../../store/store.ts';
import { allOf, type CommonFilters, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';

const StoredAdviceRow = z.object({
  id: z.string(),
  server: z.string(),
  rule: z.string(),
  tool: z.string(),
  first_ms: count,
  last_ms: count,
  hash: z.string(),
  server_version: z.string(),
  finding: z.string(),
});
const DismissalRow = z.object({ id: z.string(), reason: z.string() });

/** Advice as it was last found. */
export interface StoredAdvice {
  readonly id: string;
  readonly server: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** The definition it was found on; of all definitions of the server if it is not about a tool. */
  readonly definitionHash: string;
  readonly serverVersion: string;
  readonly finding: Finding;
}

export interface AdviceHistory {
  readonly seen: readonly StoredAdvice[];
  /** Advice id to reason. */
  readonly dismissed: ReadonlyMap<string, string>;
}

/** Advice is stored for all environments, clients and versions together. */
export async function readAdviceHistory(
  { server, tool }: CommonFilters,
  { store }: QueryContext,
): Promise<AdviceHistory> {
  const where = allOf(whereFilters('advice_seen', { server, tool }));
  const [seen, dismissals] = await Promise.all([
    store.query({
      sql: `
    SELECT
      id,
      server_name AS server,
      rule,
      tool_name AS tool,
      toUnixTimestamp64Milli(first_seen) AS first_ms,
      toUnixTimestamp64Milli(last_seen) AS last_ms,
      leftPad(lower(hex(definition_hash)), 16, '0') AS hash,
      server_version,
      finding
    FROM advice_seen FINAL
    WHERE ${where.sql}
    ORDER BY server, id`,
      params: where.params,
      row: StoredAdviceRow,
    }),
    store.query({ sql: 'SELECT id, reason FROM advice_dismissals FINAL', row: DismissalRow }),
  ]);
  return {
    seen: seen.map(parseStoredAdvice),
    dismissed: new Map(dismissals.map(({ id, reason }) => [id, reason])),
  };
}

function parseStoredAdvice(row: z.infer<typeof StoredAdviceRow>): StoredAdvice {
  return {
    id: row.id,
    server: row.server,
    firstSeenMs: row.first_ms,
    lastSeenMs: row.last_ms,
    definitionHash: row.hash,
    serverVersion: row.server_version,
    // Only `writeAdvice` writes this column.
    finding: JSON.parse(row.finding) as Finding,
  };
}

/**
 * @param seen each with its newest state
 * @param nowMs the revision
 */
export async function writeAdvice(
  seen: readonly StoredAdvice[],
  { writer, nowMs }: { readonly writer: StoreWriter; readonly nowMs: number },
): Promise<void> {
  const rows = seen.map((one) => ({
    id: one.id,
    server_name: one.server,
    rule: one.finding.rule,
    tool_name: one.finding.tool,
    first_seen: formatDateTime64(one.firstSeenMs * 1_000),
    last_seen: formatDateTime64(one.lastSeenMs * 1_000),
    definition_hash: BigInt(`0x${one.definitionHash}`).toString(),
    server_version: one.serverVersion,
    finding: JSON.stringify(one.finding),
    revision: nowMs,
  }));
  await insertOnce(writer, 'advice_seen', rows);
}

/** Dismisses advice or restores it. */
export async function writeDismissal(
  {
    id,
    reason,
    isWithdrawn,
  }: { readonly id: string; readonly reason: string; readonly isWithdrawn: boolean },
  { writer, nowMs }: { readonly writer: StoreWriter; readonly nowMs: number },
): Promise<void> {
  const row = {
    id,
    reason,
    at: formatDateTime64(nowMs * 1_000),
    withdrawn: isWithdrawn ? 1 : 0,
    revision: nowMs,
  };
  await insertOnce(writer, 'advice_dismissals', [row]);
}

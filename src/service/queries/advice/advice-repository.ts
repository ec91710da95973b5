// Stores previously found advice and dismissals. Both are rows that a higher revision replaces. There are
// only a handful of findings per hour, so each write is its own insert.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Finding } from '../../../core/advice/finding.ts';
import { allOf, type Filters, whereFilters } from '../query/filters.ts';
import type { QueryContext, StoreWriter } from '../query/query-context.ts';
import { count, toColumnTime } from '../query/row-values.ts';

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

export async function readAdviceHistory(filters: Filters, { store }: QueryContext): Promise<AdviceHistory> {
  const where = allOf(whereFilters(filters, ['server', 'tool']));
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
    first_seen: toColumnTime(one.firstSeenMs * 1_000),
    last_seen: toColumnTime(one.lastSeenMs * 1_000),
    definition_hash: BigInt(`0x${one.definitionHash}`).toString(),
    server_version: one.serverVersion,
    finding: JSON.stringify(one.finding),
    revision: nowMs,
  }));
  await insertJsonRows(writer, 'advice_seen', rows);
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
    at: toColumnTime(nowMs * 1_000),
    withdrawn: isWithdrawn ? 1 : 0,
    revision: nowMs,
  };
  await insertJsonRows(writer, 'advice_dismissals', [row]);
}

/** Inserts once; the token identifies the bytes, so a repeated insert changes nothing. */
export async function insertJsonRows(
  writer: StoreWriter,
  table: string,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const token = `${table}-${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`;
  await writer.insert(table, bytes, token);
}

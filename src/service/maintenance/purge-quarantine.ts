// Purges the quarantine. Only the row of a call identifies its owner, so a payload is purged with its call in the same
// entry. Damaged bytes cannot be split into rows: a file that may contain matching data is named in the receipt.

import { join } from 'node:path';
import { z } from 'zod';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import { type RefusedLines, readQuarantineFiles, replaceRefusedRows } from '../ingest/quarantine.ts';
import type { PurgeTarget } from '../store/purge-target.ts';

export interface QuarantinePurger {
  /** Removes the matching rows, or only counts them. */
  purge(target: PurgeTarget, mode: 'count' | 'remove'): Promise<QuarantinePurgeResult>;
}

export interface QuarantinePurgeResult {
  readonly rows: number;
  /** Files that may contain matching data and were left. */
  readonly unpurgedFiles: readonly string[];
}

/** The fields of a row that identify its owner. */
const QuarantinedRow = z.object({
  trace_id: z.string().default(''),
  span_id: z.string().default(''),
  session_id: z.string().default(''),
  server_name: z.string().default(''),
  principal: z.string().default(''),
  started_at: z.string().optional(),
});

export function createQuarantinePurger(dataDirectory: string): QuarantinePurger {
  const location = { directory: join(dataDirectory, 'quarantine'), fileSystem: NODE_FILE_SYSTEM };
  return {
    async purge(target, mode) {
      const unpurgedFiles: string[] = [];
      let rows = 0;
      for await (const { name, content, entry } of readQuarantineFiles(location)) {
        if (!entry && mayContain(content, target)) unpurgedFiles.push(name);
        if (!entry || !('refused' in entry)) continue;
        const remaining = withoutRows(entry.refused, target);
        const purgedRows = countRows(entry.refused) - countRows(remaining);
        rows += purgedRows;
        if (purgedRows > 0 && mode === 'remove') await replaceRefusedRows(location, entry, remaining);
      }
      return { rows, unpurgedFiles };
    },
  };
}

function withoutRows(refused: readonly RefusedLines[], target: PurgeTarget): RefusedLines[] {
  const lines = refused.flatMap(({ rows }) => rows);
  const purgedCalls = new Set(lines.filter((line) => matchesTarget(line, target)).map(toCallKey));
  const isPurged = (line: string): boolean => matchesTarget(line, target) || purgedCalls.has(toCallKey(line));
  return refused
    .map((part) => ({ ...part, rows: part.rows.filter((line) => !isPurged(line)) }))
    .filter(({ rows }) => rows.length > 0);
}

function matchesTarget(line: string, target: PurgeTarget): boolean {
  const row = parseRow(line);
  if (target.kind === 'user') return target.principals.includes(row.principal);
  if (target.kind === 'before')
    return row.started_at !== undefined && row.started_at < formatDateTime64(target.beforeUs);
  return row.session_id === target.id && (target.server === undefined || row.server_name === target.server);
}

function toCallKey(line: string): string {
  const { trace_id, span_id } = parseRow(line);
  return `${trace_id}:${span_id}`;
}

function parseRow(line: string): z.infer<typeof QuarantinedRow> {
  try {
    const parsed = QuarantinedRow.safeParse(JSON.parse(line));
    if (parsed.success) return parsed.data;
  } catch {
    // A damaged line has no owner.
  }
  return QuarantinedRow.parse({});
}

function countRows(refused: readonly RefusedLines[]): number {
  return refused.reduce((sum, { rows }) => sum + rows.length, 0);
}

function mayContain(content: Uint8Array, target: PurgeTarget): boolean {
  if (target.kind === 'before') return true;
  const texts = target.kind === 'user' ? target.principals : [target.id];
  return texts.some((text) => Buffer.from(content).includes(JSON.stringify(text)));
}

// Purges the quarantine. All files are read, since they should be few. Only a call's row identifies its
// owner; a payload row is purged with its call in the same file. Damaged bytes cannot be split into rows: a
// file that may contain matching data is named in the receipt.

import { readdir, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import type { PurgeTarget } from '../store/purge-target.ts';

export interface QuarantinePurger {
  /** Takes rows away, or only counts them. */
  purge(target: PurgeTarget, mode: 'count' | 'remove'): Promise<QuarantinePurgeResult>;
}

export interface QuarantinePurgeResult {
  readonly rows: number;
  /** Names of files that hold rows of the target, or may, and were left. */
  readonly unpurgedFiles: readonly string[];
}

const QuarantineFile = z.looseObject({
  refused: z.array(z.looseObject({ table: z.string(), rows: z.array(z.string()) })).optional(),
});
type QuarantineFile = z.infer<typeof QuarantineFile>;

const ENTRY_SUFFIX = '.json';
const REPLAY_SUFFIX = '.reship';
/** How much was removed to make room: two numbers. */
const DROPPED_FILE = 'dropped';

/** What a line may hold that says whose it is, as the journal wrote it. */
const QuarantinedRow = z.object({
  trace_id: z.string().default(''),
  span_id: z.string().default(''),
  session_id: z.string().default(''),
  server_name: z.string().default(''),
  principal: z.string().default(''),
  started_at: z.string().optional(),
});

export function createQuarantinePurger(dataDirectory: string): QuarantinePurger {
  const directory = join(dataDirectory, 'quarantine');
  return {
    async purge(target, mode) {
      const unpurgedFiles: string[] = [];
      let rows = 0;
      for (const name of (await listFiles(directory)).filter(
        (each) => !each.endsWith(REPLAY_SUFFIX) && each !== DROPPED_FILE,
      )) {
        const path = join(directory, name);
        const purged = await purgeFile(path, { target, mode });
        rows += purged.rows;
        if (purged.mayContainTarget) unpurgedFiles.push(name);
      }
      return { rows, unpurgedFiles };
    },
  };
}

interface FilePurge {
  readonly target: PurgeTarget;
  readonly mode: 'count' | 'remove';
}

async function purgeFile(
  path: string,
  { target, mode }: FilePurge,
): Promise<{ readonly rows: number; readonly mayContainTarget: boolean }> {
  const content = await readFile(path);
  const file = path.endsWith(ENTRY_SUFFIX) ? parseFile(content.toString('utf8')) : undefined;
  if (file === undefined) return { rows: 0, mayContainTarget: mayContain(content, target) };
  const next = withoutRows(file, target);
  const rows = countRows(file) - countRows(next);
  if (rows > 0 && mode === 'remove') {
    if (countRows(next) === 0) await removeEntry(path);
    else await writeDurableFile(path, Buffer.from(`${JSON.stringify(next, null, 2)}\n`), NODE_FILE_SYSTEM);
  }
  return { rows, mayContainTarget: false };
}

/** With the mark that asks for it to be sent again, if there is one. */
async function removeEntry(path: string): Promise<void> {
  await unlink(path);
  await rm(`${path.slice(0, -ENTRY_SUFFIX.length)}${REPLAY_SUFFIX}`, { force: true });
}

function parseFile(text: string): QuarantineFile | undefined {
  try {
    const parsed = QuarantineFile.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Not one of ours, or half of one: looked through as bytes.
    return undefined;
  }
}

function withoutRows(file: QuarantineFile, target: PurgeTarget): QuarantineFile {
  if (!file.refused) return file;
  const lines = file.refused.flatMap(({ rows }) => rows);
  const calls = new Set(lines.filter((line) => matchesTarget(line, target)).map(toCallKey));
  const isPurged = (line: string): boolean => matchesTarget(line, target) || calls.has(toCallKey(line));
  const refused = file.refused
    .map((group) => ({ ...group, rows: group.rows.filter((line) => !isPurged(line)) }))
    .filter(({ rows }) => rows.length > 0);
  const remaining = refused.flatMap(({ rows }) => rows);
  const bytes = remaining.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return { ...file, rows: remaining.length, bytes, refused };
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

function countRows({ refused = [] }: QuarantineFile): number {
  return refused.reduce((sum, { rows }) => sum + rows.length, 0);
}

function mayContain(content: Buffer, target: PurgeTarget): boolean {
  if (target.kind === 'before') return true;
  const texts = target.kind === 'user' ? target.principals : [target.id];
  return texts.some((text) => content.includes(JSON.stringify(text)));
}

async function listFiles(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

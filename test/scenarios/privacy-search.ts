// Looks for texts everywhere a service leaves anything: files as bytes, every column of every table that can hold a
// text, every answer. Columns are asked for, not listed, so that a new one is covered by itself.
import { existsSync } from 'node:fs';
import pino from 'pino';
import { z } from 'zod';
import { startEngine } from '../../src/service/engine/engine.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { listFilePaths, readFileIfPresent } from '../support/list-files.ts';
import { fetchWhenNotBusy, type RunningService } from '../support/service.ts';
import type { SearchRequest } from './privacy-requests.ts';

/** How a text may be written where it is found: as it is, or inside JSON. */
function encodedForms(needle: string): string[] {
  return [...new Set([needle, JSON.stringify(needle).slice(1, -1), encodeURIComponent(needle)])];
}

export function findInText(
  text: string,
  needles: readonly string[],
  where: string,
  finds: Map<string, string[]>,
): void {
  const searched = text.toLowerCase();
  for (const needle of needles) {
    if (encodedForms(needle).some((form) => searched.includes(form.toLowerCase())))
      finds.set(needle, [...(finds.get(needle) ?? []), where]);
  }
}

/** Every file below a folder but the engine's own, whose parts are compressed. @returns how many files there were */
export function findInFiles(
  folder: string,
  needles: readonly string[],
  finds: Map<string, string[]>,
): number {
  if (!existsSync(folder)) return 0;
  const files = listFilePaths(folder).filter((file) => !file.includes('/engine/'));
  for (const file of files) {
    const text = readFileIfPresent(file).toString();
    findInText(`${file}\n${text}`, needles, file.slice(folder.length), finds);
  }
  return files.length;
}

const Column = z.object({ table: z.string(), name: z.string(), type: z.string() });
const Count = z.object({ n: z.coerce.number() });
const Counts = z.object({ n: z.array(z.coerce.number()) });
const MAX_NEEDLES = 255;

/** Every column that can hold a text, of every table, in any case. @returns how many columns and calls there were */
export async function findInStore(
  dataDirectory: string,
  needles: readonly string[],
  finds: Map<string, string[]>,
): Promise<{ columns: number; calls: number }> {
  const log = pino({ level: 'silent' });
  const engine = await startEngine({ dataDirectory, log });
  const store = createStore({ ...engine, database: 'toolscope', log });
  try {
    const columns = await store.query({
      sql: `SELECT table, name, type FROM system.columns
        WHERE database = 'toolscope' AND (type LIKE '%String%' OR type LIKE '%Map(%' OR type LIKE '%Array(%' OR type LIKE '%JSON%')
          AND table IN (SELECT name FROM system.tables WHERE database = 'toolscope' AND engine NOT LIKE '%View' AND engine != 'Null')`,
      row: Column,
    });
    const tables = groupByTable(columns);
    for (const [table, own] of tables) {
      // All columns of a row as one text first; which of them it was is asked only where there is something.
      const found = await searchRows(store, table, { texts: own.map(toText), needles });
      for (const column of found.length > 0 ? own : []) {
        for (const needle of await searchRows(store, table, { texts: [toText(column)], needles: found }))
          finds.set(needle, [...(finds.get(needle) ?? []), `${table}.${column.name}`]);
      }
    }
    const [all] = await store.query({ sql: 'SELECT count() AS n FROM calls', row: Count });
    return { columns: columns.length, calls: all?.n ?? 0 };
  } finally {
    await store.close();
    await engine.stop();
  }
}

function groupByTable(columns: readonly z.infer<typeof Column>[]): Map<string, z.infer<typeof Column>[]> {
  const tables = new Map<string, z.infer<typeof Column>[]>();
  for (const column of columns) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
  return tables;
}

function toText({ name, type }: z.infer<typeof Column>): string {
  return type.startsWith('AggregateFunction')
    ? `toString(finalizeAggregation(\`${name}\`))`
    : `toString(\`${name}\`)`;
}

async function searchRows(
  store: Store,
  table: string,
  { texts, needles }: { readonly texts: readonly string[]; readonly needles: readonly string[] },
): Promise<string[]> {
  if (needles.length > MAX_NEEDLES) throw new RangeError('The engine looks for 255 texts at once at most.');
  // All needles in one pass over a text: where each stands in it first, 0 for nowhere.
  const [counts] = await store.query({
    sql: `SELECT sumForEach(arrayMap(place -> place > 0, multiSearchAllPositionsCaseInsensitive(text, {needles:Array(String)}))) AS n
      FROM (SELECT concat('', ${texts.join(", '\n', ")}) AS text FROM \`${table}\`)`,
    params: { needles },
    row: Counts,
  });
  return needles.filter((_, at) => (counts?.n[at] ?? 0) > 0);
}

const CALL_CONTENT_TYPES = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'application/x-otlp+json',
];

/** Asks again where the answer took longer than the service allows, as it may on a machine with much to do. */
async function fetchInTime(url: string, accept: string): Promise<Response> {
  const deadline = Date.now() + 100_000;
  for (;;) {
    const response = await fetchWhenNotBusy(url, { headers: { accept } });
    if (response.status !== 504 || Date.now() > deadline) return response;
  }
}

/** @returns the requests that were refused, with the status of each */
export async function findInResponses(
  service: RunningService,
  requests: readonly SearchRequest[],
  { needles, finds }: { readonly needles: readonly string[]; readonly finds: Map<string, string[]> },
): Promise<{ readonly name: string; readonly status: number }[]> {
  const refused: { name: string; status: number }[] = [];
  for (const { name, path } of requests) {
    for (const accept of name === 'calls' ? CALL_CONTENT_TYPES : ['application/json']) {
      const response = await fetchInTime(`${service.base}${path}`, accept);
      findInText(await response.text(), needles, `${path} as ${accept}`, finds);
      if (!response.ok) refused.push({ name, status: response.status });
    }
  }
  return refused;
}

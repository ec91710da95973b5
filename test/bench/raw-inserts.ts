// What the engine takes when nothing stands before it: the rows of a data directory, inserted once more into the same tables with
// their views, in native format. A process of its own, so that its CPU time is that of the engine alone.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Session } from 'chdb';
import { prepareEngineFiles } from '../../src/service/engine/engine-files.ts';

export interface RawInserts {
  readonly rowsPerInsert: number;
  readonly writers: number;
  readonly rowsPerSecond: number;
  /** Of the engine, microseconds. */
  readonly cpuUsPerRow: number;
}

const SHAPES = [
  { rowsPerInsert: 1_000, writers: 1, rows: 20_000 },
  { rowsPerInsert: 1_000, writers: 4, rows: 20_000 },
  { rowsPerInsert: 20_000, writers: 1, rows: 100_000 },
  { rowsPerInsert: 20_000, writers: 2, rows: 120_000 },
  { rowsPerInsert: 20_000, writers: 4, rows: 160_000 },
  { rowsPerInsert: 100_000, writers: 1, rows: 100_000 },
  { rowsPerInsert: 100_000, writers: 2, rows: 200_000 },
] as const;

const dataDirectory = process.argv[2];
if (dataDirectory === undefined)
  throw new Error('raw-inserts takes the data directory of a service that has ended');
const chdb = createRequire(import.meta.url)('chdb') as typeof import('chdb');
const files = prepareEngineFiles(dataDirectory);
const connectionArgs = [`--config-file=${files.configuration}`, '--async_load_databases=0'];
const sessions = Array.from({ length: 4 }, () => new chdb.Session(files.database, { connectionArgs }));
const scratch = join(dataDirectory, 'raw');

async function run(session: Session, sql: string): Promise<void> {
  await session.queryAsync(sql);
}

/** Writes the stored calls to files of that many rows. @returns their paths */
async function exportRows(session: Session, rowsPerFile: number): Promise<string[]> {
  const directory = join(scratch, String(rowsPerFile));
  mkdirSync(directory, { recursive: true });
  const count = Math.max(1, Math.floor(100_000 / rowsPerFile));
  for (let at = 0; at < Math.min(count, 20); at += 1)
    await run(
      session,
      `INSERT INTO FUNCTION file('${directory}/${at}.native', 'Native')
       SELECT * FROM calls WHERE ingest_seq > ${at * rowsPerFile} ORDER BY ingest_seq LIMIT ${rowsPerFile}`,
    );
  return readdirSync(directory).map((name) => join(directory, name));
}

async function measure(shape: (typeof SHAPES)[number], paths: readonly string[]): Promise<RawInserts> {
  const inserts = shape.rows / shape.rowsPerInsert;
  let next = 0;
  const write = async (session: Session): Promise<void> => {
    for (let at = next++; at < inserts; at = next++)
      await run(
        session,
        `INSERT INTO calls SELECT * FROM file('${paths[at % paths.length]}', 'Native') SETTINGS insert_deduplicate = 0`,
      );
  };
  const before = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(sessions.slice(0, shape.writers).map(write));
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const { rows, rowsPerInsert, writers } = shape;
  return { rowsPerInsert, writers, rowsPerSecond: rows / seconds, cpuUsPerRow: (user + system) / rows };
}

for (const session of sessions) await run(session, 'USE toolscope');
const [first] = sessions;
if (!first) throw new Error('There is no session.');
const results: RawInserts[] = [];
for (const rowsPerInsert of new Set(SHAPES.map((shape) => shape.rowsPerInsert))) {
  const paths = await exportRows(first, rowsPerInsert);
  for (const shape of SHAPES)
    if (shape.rowsPerInsert === rowsPerInsert) results.push(await measure(shape, paths));
}
rmSync(scratch, { recursive: true, force: true });
process.send?.(results);
for (const session of sessions) session.close();
process.exit(0);

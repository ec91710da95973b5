// Migrates a database to the newest schema: the files of `sql/`, in numeric order, each once. A file that was
// changed after it was applied stops the start, because the schema of the database is then unknown.
//
// Databases of unreleased versions have migrations 1 to 31. The present files replace them: on a database with all
// 31 they change nothing and are recorded as applied.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';
import type { Store } from './store.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

/** The migrations that the present files replace. */
export const REPLACED_VERSION = 31;
/** Of their versions and checksums. */
const REPLACED_CHECKSUM = '89fae818f0201022';
/** The newest file of the set that replaces them. */
export const REPLACING_VERSION = 121;

const AppliedMigrationRow = z.object({ version: z.number(), checksum: z.string() });

const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;
/** `sql/` is next to both `src/` and `dist/`. */
const DIRECTORY = fileURLToPath(new URL('../../../sql/', import.meta.url));

/** @returns the files of a directory in order; throws when two share a number */
export async function readMigrations(directory = DIRECTORY): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => FILE_NAME.test(name)).sort();
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)));
  const numbers = new Set(migrations.map(({ version }) => version));
  if (numbers.size !== migrations.length) throw new Error('two migrations share a number');
  return migrations;
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  const [, version = '', name = ''] = FILE_NAME.exec(file) ?? [];
  const text = await readFile(`${directory}/${file}`, 'utf8');
  const statements = splitStatements(text);
  // Over the statements rather than the file, so that comments may change.
  return { version: Number(version), name, checksum: toChecksum(statements.join(';\n')), statements };
}

function toChecksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'"`;/-]+|[\s\S]/g;

/** @returns the statements without comments and semicolons; the HTTP interface accepts one statement at a time */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      statements.push(current);
      current = '';
    } else if (!/^(?:--|\/\*)/.test(token)) current += token;
  }
  return [...statements, current]
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/**
 * Applies missing migrations. Statements are idempotent, so the next start completes an interrupted one.
 *
 * @returns the number of applied files
 * @throws UpstreamError STORE_REJECTED when an applied file was changed, or when an unreleased version left its
 *   migrations incomplete; or as `Store` does
 */
export async function migrate(store: Store, migrations?: readonly Migration[]): Promise<number> {
  const [first, ...others] = migrations ?? (await readMigrations());
  if (!first) return 0;
  await store.createDatabase();
  // The first file creates the migrations table, so it is run every time.
  for (const statement of first.statements) await store.command(statement);
  const applied = await readApplied(store);
  assertReplacedComplete(applied);
  const all = [first, ...others];
  for (const migration of all) assertUnchanged(migration, applied);
  const missing = all.filter(({ version }) => !applied.has(version));
  for (const migration of missing) await applyMigration(store, migration);
  return missing.length;
}

async function readApplied(store: Store): Promise<Map<number, string>> {
  const rows = await store.query({
    sql: 'SELECT version, checksum FROM schema_migrations FINAL ORDER BY version',
    row: AppliedMigrationRow,
  });
  return new Map(rows.map(({ version, checksum }) => [version, checksum]));
}

function assertReplacedComplete(applied: ReadonlyMap<number, string>): void {
  const replaced = [...applied].filter(([version]) => version <= REPLACED_VERSION);
  const ledger = replaced.map(([version, checksum]) => `${version}:${checksum}`).join();
  if (replaced.length === 0 || toChecksum(ledger) === REPLACED_CHECKSUM) return;
  throw new UpstreamError(
    'STORE_REJECTED',
    `The database was created by an unreleased version, and its ${replaced.length} migrations are not the ${REPLACED_VERSION} that this version replaces. Start the last unreleased version once, which completes them, or use an empty database (--data-dir or CLICKHOUSE_URL).`,
    { retryable: false },
  );
}

function assertUnchanged(migration: Migration, applied: ReadonlyMap<number, string>): void {
  const appliedChecksum = applied.get(migration.version);
  if (appliedChecksum === undefined || appliedChecksum === migration.checksum) return;
  throw new UpstreamError(
    'STORE_REJECTED',
    `Migration ${migration.version} (${migration.name}) was changed after this database had applied it`,
    { retryable: false },
  );
}

async function applyMigration(
  store: Store,
  { version, name, checksum, statements }: Migration,
): Promise<void> {
  for (const statement of statements) await store.command(statement);
  const row = Buffer.from(`${JSON.stringify({ version, name, checksum })}\n`);
  await store.insert('schema_migrations', row, `migration-${version}-${checksum}`);
}

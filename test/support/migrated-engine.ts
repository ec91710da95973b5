// An engine's directory with the schema and no rows, made once a run and copied by each test that needs one: starting
// an engine on it takes 0.5 s of CPU, where an empty directory takes 1.3. Paths in it are relative, so copies work.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Inherited by the workers; the global setup fills it. Without it, as in a benchmark, nothing is copied. */
export const MIGRATED_ENGINE_VARIABLE = 'MIGRATED_ENGINE';

/** Makes the first start of an engine there a start with the schema. A directory that has an engine stays as it is. */
export function copyMigratedEngine(dataDirectory: string): void {
  const source = process.env[MIGRATED_ENGINE_VARIABLE];
  const target = join(dataDirectory, 'engine');
  if (source === undefined || existsSync(target)) return;
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  cpSync(source, target, { recursive: true });
}

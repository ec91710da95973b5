// Makes the engine's directory of `migrated-engine.ts` before the workers start.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startTestEngine } from './engine.ts';
import { MIGRATED_ENGINE_VARIABLE } from './migrated-engine.ts';

/** Vitest's global setup. @returns its end, which removes the directory */
export async function setup(): Promise<() => void> {
  // Each project of a run has a global setup.
  if (process.env[MIGRATED_ENGINE_VARIABLE] !== undefined) return () => undefined;
  const { engine, store, dataDirectory } = await startTestEngine();
  await store.close();
  await engine.stop();
  process.env[MIGRATED_ENGINE_VARIABLE] = join(dataDirectory, 'engine');
  return () => rmSync(dataDirectory, { recursive: true, force: true });
}

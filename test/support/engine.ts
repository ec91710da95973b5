// A real engine with the real schema in a directory of its own, for every test that needs rows. One per test file:
// starting takes about two seconds.

import { rm } from 'node:fs/promises';
import pino from 'pino';
import { type Engine, startEngine } from '../../src/service/engine/engine.ts';
import { migrate } from '../../src/service/store/migrate.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { createDataFolder } from './data-folder.ts';
import { copyMigratedEngine } from './migrated-engine.ts';

export interface TestEngine {
  readonly engine: Engine;
  /** On a migrated database called `toolscope`. */
  readonly store: Store;
  readonly dataDirectory: string;
  /** Ends the child and removes the directory. */
  stop(): Promise<void>;
}

/** Call it in `beforeAll`, and `stop` in `afterAll`. */
export async function startTestEngine(): Promise<TestEngine> {
  const dataDirectory = createDataFolder('toolscope-engine-');
  copyMigratedEngine(dataDirectory);
  const log = pino({ level: 'silent' });
  const engine = await startEngine({ dataDirectory, log });
  const { url, username, password } = engine;
  const store = createStore({ url, username, password, database: 'toolscope', log });
  await migrate(store);
  return {
    engine,
    store,
    dataDirectory,
    async stop() {
      await store.close();
      await engine.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Stores rows as the shipper does. */
export async function insertRows(
  store: Store,
  table: string,
  rows: readonly object[],
  token = `test-${Math.random().toString(36).slice(2)}`,
): Promise<void> {
  await store.insert(table, Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`), token);
}

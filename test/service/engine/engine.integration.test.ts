import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { UpstreamError, UserError } from '../../../src/errors.ts';
import { type Engine, startEngine } from '../../../src/service/engine/engine.ts';
import { createStore, type Store } from '../../../src/service/store/store.ts';
import { createDataFolder } from '../../support/data-folder.ts';

// Every engine here is a process of its own that takes seconds to start, and as many times longer as others want to run.
vi.setConfig({ testTimeout: 150_000 });
const WAIT_LIMIT_MS = 60_000;

const log = pino({ level: 'silent' });
let directory: string;
let cleanUps: (() => Promise<unknown>)[];

beforeEach(async () => {
  directory = createDataFolder('toolscope-engine-');
  cleanUps = [() => rm(directory, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const step of cleanUps.reverse()) await step();
});

async function start(options: Partial<Parameters<typeof startEngine>[0]> = {}): Promise<Engine> {
  const engine = await startEngine({ dataDirectory: directory, log, ...options });
  cleanUps.push(() => engine.stop());
  return engine;
}

function open({ url, username, password }: Engine): Store {
  const store = createStore({ url, username, password, database: 'default', log });
  cleanUps.push(() => store.close());
  return store;
}

/** A zombie process has ended and only waits to be reaped. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Polls until it holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > WAIT_LIMIT_MS)
      throw new Error(`did not hold within ${WAIT_LIMIT_MS} ms`);
    await delay(10);
  }
}

/** Waits until the engine is at work on a query, or is done with it. */
async function waitUntilRunning(store: Store, { work, words }: { work: Promise<unknown>; words: string }) {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  work.then(done, done);
  const sql = `SELECT count() AS n FROM system.processes WHERE position(query, {words:String}) = 8`;
  await until(async () => isDone || (await store.query({ sql, params: { words }, row: Count }))[0]?.n === 1);
}

const Count = z.object({ n: z.number() });

describe('engine killed under load', () => {
  test('a killed engine restarts by itself at the same address, with everything that was acknowledged', async () => {
    const engine = await start();
    const store = open(engine);
    await store.command(`
      CREATE TABLE facts (n UInt64) ENGINE = MergeTree ORDER BY n
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000`);
    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++)
        await store.insert('facts', Buffer.from(`{"n":${n}}\n`), `fact-${n}`).then(
          () => acknowledged.push(n),
          (error: unknown) => failures.push(error),
        );
    })();
    await until(() => acknowledged.length > 20);
    const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
    const first = engine.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    await until(() => failures.length > 0);
    await restarted;
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 5);
    isOver = true;
    await writing;

    expect(engine.pid()).not.toBe(first);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(UpstreamError);
      expect(failure).toMatchObject({ retryable: true });
    }
    const rows = await store.query({ sql: 'SELECT n FROM facts ORDER BY n', row: Count });
    const stored = rows.map(({ n }) => n);
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored).toEqual(expect.arrayContaining(acknowledged));
  });

  test('a read while the engine restarts fails at once with a retryable error', async () => {
    const engine = await start();
    const store = open(engine);
    let isBack = false;
    engine.onRestart(() => {
      isBack = true;
    });
    process.kill(engine.pid() ?? 0, 'SIGKILL');
    const failed = await store.query({ sql: 'SELECT 1 AS n', row: Count }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(isBack).toBe(false);
    await until(() => isBack);
    expect(await store.query({ sql: 'SELECT 1 AS n', row: Count })).toEqual([{ n: 1 }]);
  });
});

describe('stopping the engine', () => {
  test('stopping the engine completes accepted queries and then ends the child process', async () => {
    const engine = await start();
    const store = open(engine);
    const pid = engine.pid() ?? 0;
    // More than a socket's buffer takes, so that ending at once would cut it.
    const sql = "SELECT repeat(repeat('x', 1000000), 30) AS text, sleep(1) AS slept";
    const running = store.query({ sql, row: z.object({ text: z.string() }), maxSeconds: 60 });
    await waitUntilRunning(store, { work: running, words: 'repeat(repeat(' });
    await engine.stop();
    expect((await running)[0]?.text).toHaveLength(30_000_000);
    expect(isAlive(pid)).toBe(false);
    await engine.stop();
  });

  test('stopping the engine takes a bounded time, whatever it is doing', async () => {
    const engine = await start();
    const store = open(engine);
    const pid = engine.pid() ?? 0;
    const running = store
      .query({
        sql: 'SELECT sleepEachRow(1) AS n FROM numbers(60) SETTINGS max_block_size = 1',
        row: Count,
        maxSeconds: 60,
      })
      .catch((error: unknown) => error);
    await waitUntilRunning(store, { work: running, words: 'sleepEachRow(' });
    const startedAt = performance.now();
    await engine.stop();
    // Seven seconds and what a busy machine adds; the query alone would take sixty.
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    expect(isAlive(pid)).toBe(false);
    expect(await running).toMatchObject({ retryable: expect.any(Boolean) });
  });

  test('stopping the engine during a restart leaves no process behind', async () => {
    const engine = await start();
    process.kill(engine.pid() ?? 0, 'SIGKILL');
    await until(() => engine.pid() === undefined);
    await engine.stop();
    expect(engine.pid()).toBeUndefined();
    await expect(start({ lockWaitMs: WAIT_LIMIT_MS })).resolves.toBeDefined();
  });
});

describe('engines of one data directory', () => {
  test('a second engine for a data directory is refused and names the process that holds it', async () => {
    const engine = await start();
    const refused = await start({ lockWaitMs: 200 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(refused).toMatchObject({ code: 'DATA_DIRECTORY_LOCKED' });
    expect(String(refused)).toContain(`engine process ${engine.pid()}, started by ${process.pid}`);
    expect(await open(engine).ping()).toBe(true);
  });

  test('a new engine waits while the previous one of the data directory is still ending', async () => {
    const engine = await start();
    const next = start({ lockWaitMs: WAIT_LIMIT_MS });
    await delay(300); // the next one has met the lock by now
    await engine.stop();
    expect(await open(await next).ping()).toBe(true);
  });

  test('a restarted engine has the data stored before', async () => {
    const first = await start();
    const before = open(first);
    await before.command('CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n');
    await before.insert('kept', Buffer.from('{"n":7}\n'), 'kept-1');
    await first.stop();
    const second = await start();
    expect(await open(second).query({ sql: 'SELECT n FROM kept', row: Count })).toEqual([{ n: 7 }]);
    expect(second.password).not.toBe(first.password);
  });
});

test('the error for a missing engine installation says what to do', async () => {
  const refused = await start({ moduleBases: ['/'] }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(refused).toMatchObject({ code: 'ENGINE_MISSING', hint: expect.stringContaining('CLICKHOUSE_URL') });
});

test('a Ctrl-C in the terminal, which reaches the whole process group, is left to the service', async () => {
  const engine = await start();
  const pid = engine.pid() ?? 0;
  process.kill(pid, 'SIGINT');
  expect(await open(engine).query({ sql: 'SELECT 1 AS n', row: Count })).toEqual([{ n: 1 }]);
  expect(engine.pid()).toBe(pid);
});

test('the environment of the engine contains only what it needs', async () => {
  process.env['TOOLSCOPE_TEST_SECRET'] = 'do-not-inherit';
  cleanUps.push(async () => delete process.env['TOOLSCOPE_TEST_SECRET']);
  const engine = await start();
  const environment = readFileSync(`/proc/${engine.pid()}/environ`, 'utf8');
  expect(environment).toContain('UV_THREADPOOL_SIZE=16');
  expect(environment).not.toContain('do-not-inherit');
});

describe('death of the service', () => {
  async function startHolder(): Promise<{ holder: ChildProcess; engine: Engine & { child: number } }> {
    const tsx = createRequire(import.meta.url).resolve('tsx');
    const script = fileURLToPath(new URL('../../support/engine-holder.ts', import.meta.url));
    const holder = spawn(process.execPath, ['--import', tsx, script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanUps.push(async () => holder.kill('SIGKILL'));
    const [line] = await once(holder.stdout as NodeJS.ReadableStream, 'data');
    return { holder, engine: JSON.parse(String(line)) };
  }

  test('the engine ends with its service, even in the middle of a query', async () => {
    const { holder, engine } = await startHolder();
    const store = open(engine);
    const cut = store
      .query({
        sql: 'SELECT sleepEachRow(1) AS n FROM numbers(30) SETTINGS max_block_size = 1',
        row: Count,
        maxSeconds: 30,
      })
      .catch((error: unknown) => error);
    await waitUntilRunning(store, { work: cut, words: 'sleepEachRow(' });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    // Within a second where nothing else runs; the query alone would take thirty.
    await until(() => !isAlive(engine.child));
    expect(await cut).toMatchObject({ retryable: true });
    expect(await open(await start()).ping()).toBe(true);
  });
});

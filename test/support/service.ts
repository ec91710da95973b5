// The built service as a process of its own, on a free port and a data directory of its own: what the scenarios
// kill, restart and ask. Needs `npm run build` first, as `npm test` does.
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDataFolder } from './data-folder.ts';
import { listFilePaths } from './list-files.ts';
import { copyMigratedEngine } from './migrated-engine.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again until the answer is there; the last error is the one that is told. How long is a bound of what hangs. */
export async function until<T>(
  ask: () => Promise<T | undefined>,
  { withinMs = 100_000, everyMs = 50 } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await pause(everyMs);
  }
  throw new Error(`Nothing within ${withinMs} ms.`, { cause: last });
}

/** Where the ports begin that each worker of a run has for itself, and how many those are. */
const FIRST_PORT = 12_000;
const PORTS = 1_000;
const WORKERS = 20;
const ownPorts = FIRST_PORT + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * PORTS;
let nextPort = Math.floor(Math.random() * PORTS);

/**
 * A port that is still free when a process that is started now comes to bind it, seconds later: it is below those that the
 * system gives away by itself (from 32768 on), to others that ask for any.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried += 1) {
    const port = ownPorts + (nextPort++ % PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error('There is no free port.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Asks as its contract has it: whoever is told that the store is too busy asks again in a moment. */
export async function fetchWhenNotBusy(
  url: string,
  {
    withinMs = 100_000,
    headers = {},
  }: { withinMs?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const response = await fetch(url, { headers });
    if (response.status !== 503 || Date.now() > deadline) return response;
    const isBusy = (await response.clone().text()).includes('"STORE_BUSY"');
    if (!isBusy) return response;
    await pause(1_000);
  }
}

export interface RunningService {
  readonly base: string;
  readonly dataDirectory: string;
  /** Its XDG_STATE_HOME: a server that shares it may leave calls there when it ends, which the service takes in. */
  readonly stateDirectory: string;
  readonly pid: number;
  /** Everything the service wrote to stderr so far. */
  log(): string;
  ask<T>(path: string): Promise<T>;
  post(body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
  /** Ends the process at once, as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts again on the same port and data directory. */
  start(): Promise<void>;
  /** Ends the process as a person would, and leaves its files. */
  halt(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Until all that was acknowledged is stored. Asks the journal: questions would keep the store from it. */
export async function waitUntilDrained({ base }: RunningService, { withinMs = 150_000 } = {}): Promise<void> {
  await until(
    async () => {
      const metrics = await (await fetch(`${base}/metrics`)).text();
      return /^toolscope_journal_pending_calls 0$/m.test(metrics) ? true : undefined;
    },
    { withinMs },
  );
}

/**
 * Until everything that servers left on disk when they ended was taken by the service. Somebody alive has to take it over,
 * who gives it another name meanwhile: a look may miss it then, and the next one does not.
 */
export async function waitUntilSpoolEmpty(
  stateDirectory: string,
  { withinMs = 180_000 } = {},
): Promise<void> {
  let empty = 0;
  await until(
    async () => {
      const isEmpty = !listFilePaths(stateDirectory).some((file) => file.endsWith('.seg'));
      empty = isEmpty ? empty + 1 : 0;
      return empty >= 2 ? true : undefined;
    },
    { withinMs, everyMs: 100 },
  );
}

/** For a service whose servers end: a process that ends waits for nobody and leaves its last calls on disk. */
export const SPOOL_ENVIRONMENT = { TOOLSCOPE_SPOOL_MAX_BYTES: '50000000' } as const;

export interface ServiceOptions {
  readonly environment?: Record<string, string>;
  readonly arguments?: readonly string[];
  /** Called once with the data directory, before the first start. */
  readonly prepare?: (dataDirectory: string) => void;
}

export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const folder = createDataFolder('toolscope-test-');
  const dataDirectory = join(folder, 'data');
  const stateDirectory = join(folder, 'state');
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let logText = '';

  async function start(): Promise<void> {
    const args = [
      MAIN,
      'up',
      '--port',
      String(port),
      '--data-dir',
      dataDirectory,
      ...(options.arguments ?? []),
    ];
    const env = { ...process.env, XDG_STATE_HOME: stateDirectory, ...options.environment };
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    started.stderr?.on('data', (bytes: Buffer) => {
      logText += bytes.toString();
    });
    child = started;
    // Not its exit: what it said last is read after that.
    closed = new Promise((resolve) => started.once('close', resolve));
    await until(
      async () => {
        if (started.exitCode !== null)
          throw new Error(`The service ended with ${started.exitCode}:\n${logText}`);
        return (await fetch(`${base}/readyz`)).ok ? true : undefined;
      },
      { withinMs: 180_000 },
    );
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    child?.kill(signal);
    await closed;
  }

  options.prepare?.(dataDirectory);
  copyMigratedEngine(dataDirectory);
  await start();
  return {
    base,
    dataDirectory,
    stateDirectory,
    get pid() {
      return child?.pid ?? 0;
    },
    log: () => logText,
    async ask<T>(path: string) {
      const response = await fetchWhenNotBusy(`${base}/api/v1/${path}`);
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    post: (body, headers = {}) =>
      fetch(`${base}/v1/traces`, {
        method: 'POST',
        // lib.dom knows no Uint8Array over a shared buffer; ours never is.
        body: body as BodyInit,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    kill: () => end('SIGKILL'),
    start,
    halt: () => end('SIGTERM'),
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

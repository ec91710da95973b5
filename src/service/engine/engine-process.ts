// Supervises the engine process: starts it, restarts it with growing delays when it exits, and stops it in
// bounded time. A restarted process keeps the port, so the URL stays valid.

import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { UpstreamError, UserError } from '../../errors.ts';
import { type EngineFiles, readLockHolder } from './engine-files.ts';
import type { ChildMessage, StartMessage } from './ipc-messages.ts';

export interface EngineProcessOptions extends Omit<StartMessage, 'kind' | 'port'> {
  readonly files: EngineFiles;
  readonly log: Logger;
}

/** libuv's default of four would let four slow queries hold up everything else in the child. */
const THREAD_POOL_SIZE = '16';
const READY_TIMEOUT_MS = 60_000;
const DRAIN_TIMEOUT_MS = 5_000;
const TERMINATE_TIMEOUT_MS = 2_000;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** A process that lived this long started successfully: the delays are reset. */
const STABLE_AFTER_MS = 30_000;
const MAX_STDERR_LENGTH = 2_000;

/** `child.ts` in the sources, `child.js` in the build; only the former needs a loader. */
function findChildEntry(): { readonly path: string; readonly execArgv: string[] } {
  const fromSource = import.meta.url.endsWith('.ts');
  const path = fileURLToPath(new URL(fromSource ? './child.ts' : './child.js', import.meta.url));
  return {
    path,
    execArgv: fromSource ? ['--import', createRequire(import.meta.url).resolve('tsx')] : [],
  };
}

export class EngineProcess {
  readonly #options: EngineProcessOptions;
  readonly #restartListeners: (() => void)[] = [];
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #port = 0;
  #restarting: Promise<void> = Promise.resolve();
  #stderrTail = '';

  constructor(options: EngineProcessOptions) {
    this.#options = options;
  }

  /** The process that answers now, if one does. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  onRestart(listener: () => void): void {
    this.#restartListeners.push(listener);
  }

  /** @returns the port; throws as `startEngine` does */
  async start(): Promise<number> {
    await this.#spawn();
    return this.#port;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    const child = this.#child;
    if (!child || !isRunning(child)) return;
    const ended = waitForExit(child);
    if (child.connected) child.send({ kind: 'stop' });
    if (await exitsWithin(ended, DRAIN_TIMEOUT_MS)) return;
    child.kill('SIGTERM');
    if (await exitsWithin(ended, TERMINATE_TIMEOUT_MS)) return;
    child.kill('SIGKILL');
    await ended;
  }

  async #spawn(): Promise<void> {
    const { files, log, ...message } = this.#options;
    const { path, execArgv } = findChildEntry();
    const child = fork(path, [], {
      execArgv,
      // Nothing of our own environment: the child needs none of it, and it holds secrets.
      env: { UV_THREADPOOL_SIZE: THREAD_POOL_SIZE, TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#collectStderr(child);
    child.on('error', (error) => log.error({ err: error }, 'engine process failed'));
    child.send({ kind: 'start', ...message, port: this.#port } satisfies StartMessage);
    const reply = await readFirstMessage(child);
    if (reply.kind !== 'ready') {
      // Its stderr holds the reason, and is complete only when it has ended.
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await closed;
      throw this.#toError(reply);
    }
    const startedAt = performance.now();
    this.#port = reply.port;
    this.#child = child;
    void waitForExit(child).then((exitStatus) => this.#onExit(exitStatus, performance.now() - startedAt));
    log.debug({ pid: child.pid, port: reply.port }, 'engine started');
  }

  #onExit(exitStatus: string, uptimeMs: number): void {
    this.#child = undefined;
    if (this.#stopping.signal.aborted) return;
    this.#options.log.error({ how: exitStatus, stderr: this.#stderrTail }, 'engine ended unexpectedly');
    this.#restarting = this.#restart(uptimeMs > STABLE_AFTER_MS ? 0 : MIN_BACKOFF_MS);
  }

  async #restart(firstBackoffMs: number): Promise<void> {
    for (
      let backoffMs = firstBackoffMs;
      ;
      backoffMs = Math.min(MAX_BACKOFF_MS, 2 * backoffMs + MIN_BACKOFF_MS)
    ) {
      await delay(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
      try {
        await this.#spawn();
        for (const listener of this.#restartListeners) listener();
        return;
      } catch (error) {
        this.#options.log.error({ err: error }, 'engine could not be restarted');
      }
    }
  }

  #collectStderr(child: ChildProcess): void {
    this.#stderrTail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-MAX_STDERR_LENGTH);
    });
  }

  #toError(reply: Exclude<ChildMessage, { kind: 'ready' }>): UserError | UpstreamError {
    if (reply.kind === 'locked') return toLockedError(this.#options.files, this.#stderrTail);
    if (reply.kind === 'missing')
      return new UserError('ENGINE_MISSING', `The embedded engine cannot be loaded: ${reply.reason}`, {
        hint: 'set CLICKHOUSE_URL to a ClickHouse server',
      });
    const reason = `${reply.reason} ${this.#stderrTail}`.trim();
    return new UpstreamError('STORE_UNAVAILABLE', `The embedded engine did not start: ${reason}`, {
      retryable: true,
    });
  }
}

function toLockedError(files: EngineFiles, stderr: string): UserError | UpstreamError {
  if (!/Cannot lock file/.test(stderr))
    return new UpstreamError('STORE_UNAVAILABLE', `The data directory cannot be opened: ${stderr.trim()}`, {
      retryable: false,
    });
  const holder = readLockHolder(files);
  const who = holder ? `engine process ${holder.engine}, started by ${holder.service}` : 'an unknown process';
  return new UserError('DATA_DIRECTORY_LOCKED', `Another process holds ${files.database}: ${who}`, {
    hint: 'stop it, or choose another --data-dir',
  });
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Resolves with the exit code or signal, also when the child has ended already. */
function waitForExit(child: ChildProcess): Promise<string> {
  if (!isRunning(child)) return Promise.resolve(`${child.signalCode ?? child.exitCode}`);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(`${signal ?? code}`)));
}

async function exitsWithin(ended: Promise<string>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const timedOut = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([ended.then(() => true), timedOut]);
  timer.abort();
  return result;
}

function readFirstMessage(child: ChildProcess): Promise<ChildMessage> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ kind: 'failed', reason: 'it did not answer in time' }),
      READY_TIMEOUT_MS,
    );
    const settle = (message: ChildMessage): void => {
      clearTimeout(timer);
      resolve(message);
    };
    child.once('message', (message: ChildMessage) => settle(message));
    child.once('exit', (code, signal) =>
      settle({ kind: 'failed', reason: `it ended with ${signal ?? code}` }),
    );
    child.once('error', (error) => settle({ kind: 'failed', reason: error.message }));
  });
}

// Supervises the engine process: starts it, restarts it with growing delays when it exits, and stops it in
// bounded time. A restarted process keeps the port, so the URL stays valid.

import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type BackoffLimits, computeBackoffMs } from '../../core/values/backoff.ts';
import { UpstreamError, UserError } from '../../errors.ts';
import { withDeadline } from '../jobs/deadline.ts';
import { sleep } from '../jobs/sleep.ts';
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
const RESTART_BACKOFF: BackoffLimits = { firstMs: 100, maxMs: 5_000 };
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
    if ((await withDeadline(ended, { withinMs: DRAIN_TIMEOUT_MS })) !== 'late') return;
    child.kill('SIGTERM');
    if ((await withDeadline(ended, { withinMs: TERMINATE_TIMEOUT_MS })) !== 'late') return;
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
    this.#restarting = this.#restart(uptimeMs > STABLE_AFTER_MS ? 0 : 1);
  }

  async #restart(firstFailures: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = firstFailures; ; failures += 1) {
      await sleep(computeBackoffMs({ failures }, RESTART_BACKOFF), { signal });
      if (signal.aborted) return;
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

async function readFirstMessage(child: ChildProcess): Promise<ChildMessage> {
  const toFailure = (reason: string): ChildMessage => ({ kind: 'failed', reason });
  const reply = new Promise<ChildMessage>((resolve) => {
    child.once('message', (message: ChildMessage) => resolve(message));
    child.once('exit', (code, signal) => resolve(toFailure(`it ended with ${signal ?? code}`)));
    child.once('error', (error) => resolve(toFailure(error.message)));
  });
  const first = await withDeadline(reply, { withinMs: READY_TIMEOUT_MS });
  return first === 'late' ? toFailure('it did not answer in time') : first;
}

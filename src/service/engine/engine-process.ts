// Starts the child, watches it, starts it again with growing pauses when it ends by itself, and ends it in bounded
// time. A restarted child gets the port of the first, so whoever holds the URL need not know.

import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { UpstreamError, UserError } from '../../errors.ts';
import { type EngineFiles, readLockHolder } from './engine-files.ts';
import type { FromChild, StartMessage } from './messages.ts';

export interface EngineProcessOptions extends Omit<StartMessage, 'kind' | 'port'> {
  readonly files: EngineFiles;
  readonly log: Logger;
}

/** libuv's default of four would let four slow queries hold up everything else in the child. */
const THREADS = '16';
const READY_MS = 60_000;
const DRAIN_MS = 5_000;
const TERMINATE_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A child that lived this long did not fail at starting: the pauses begin anew. */
const STEADY_MS = 30_000;
const STDERR_TAIL = 2_000;

/** `child.ts` beside the sources, `child.js` beside the build; only the first needs a loader. */
function childEntry(): { readonly path: string; readonly execArgv: string[] } {
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
    const ended = endOf(child);
    if (child.connected) child.send({ kind: 'stop' });
    if (await endsWithin(ended, DRAIN_MS)) return;
    child.kill('SIGTERM');
    if (await endsWithin(ended, TERMINATE_MS)) return;
    child.kill('SIGKILL');
    await ended;
  }

  async #spawn(): Promise<void> {
    const { files, log, ...message } = this.#options;
    const { path, execArgv } = childEntry();
    const child = fork(path, [], {
      execArgv,
      // Nothing of our own environment: the child needs none of it, and it holds secrets.
      env: { UV_THREADPOOL_SIZE: THREADS, TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#keepStderr(child);
    child.on('error', (error) => log.error({ err: error }, 'engine process failed'));
    child.send({ kind: 'start', ...message, port: this.#port } satisfies StartMessage);
    const answer = await firstAnswer(child);
    if (answer.kind !== 'ready') {
      // Its stderr holds the reason, and is complete only when it has ended.
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await closed;
      throw this.#toError(answer);
    }
    const startedAt = performance.now();
    this.#port = answer.port;
    this.#child = child;
    void endOf(child).then((how) => this.#ended(how, performance.now() - startedAt));
    log.debug({ pid: child.pid, port: answer.port }, 'engine started');
  }

  #ended(how: string, livedMs: number): void {
    this.#child = undefined;
    if (this.#stopping.signal.aborted) return;
    this.#options.log.error({ how, stderr: this.#stderrTail }, 'engine ended unexpectedly');
    this.#restarting = this.#restart(livedMs > STEADY_MS ? 0 : FIRST_PAUSE_MS);
  }

  async #restart(firstPauseMs: number): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs + FIRST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
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

  #keepStderr(child: ChildProcess): void {
    this.#stderrTail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_TAIL);
    });
  }

  #toError(answer: Exclude<FromChild, { kind: 'ready' }>): UserError | UpstreamError {
    if (answer.kind === 'locked') return lockedError(this.#options.files, this.#stderrTail);
    if (answer.kind === 'missing')
      return new UserError('ENGINE_MISSING', `The embedded engine cannot be loaded: ${answer.reason}`, {
        hint: 'set CLICKHOUSE_URL to a ClickHouse server',
      });
    const reason = `${answer.reason} ${this.#stderrTail}`.trim();
    return new UpstreamError('STORE_UNAVAILABLE', `The embedded engine did not start: ${reason}`, {
      retryable: true,
    });
  }
}

function lockedError(files: EngineFiles, stderr: string): UserError | UpstreamError {
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
function endOf(child: ChildProcess): Promise<string> {
  if (!isRunning(child)) return Promise.resolve(`${child.signalCode ?? child.exitCode}`);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(`${signal ?? code}`)));
}

async function endsWithin(ended: Promise<string>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const result = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return result;
}

function firstAnswer(child: ChildProcess): Promise<FromChild> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ kind: 'failed', reason: 'it did not answer in time' }),
      READY_MS,
    );
    const settle = (answer: FromChild): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    child.once('message', (answer: FromChild) => settle(answer));
    child.once('exit', (code, signal) =>
      settle({ kind: 'failed', reason: `it ended with ${signal ?? code}` }),
    );
    child.once('error', (error) => settle({ kind: 'failed', reason: error.message }));
  });
}

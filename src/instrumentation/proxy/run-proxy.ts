// A child between two pipes, as if nobody stood there: its bytes, its stderr, its signals and its exit code pass
// through. The client's end of input is the way MCP stops a server, so it is passed on and then waited for.

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { forwardLines } from './forward-lines.ts';
import { withParentDeathSignal } from './parent-death-signal.ts';
import type { TrafficObserver } from './traffic-observer.ts';

export interface ProxyOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Reads along; undefined where nobody shall. Started once the child is. */
  readonly observer: TrafficObserver | undefined;
}

export type ProxyResult =
  | {
      readonly status: 'ended';
      /** The child's own, or 128 plus the number of the signal that ended it. */
      readonly exitCode: number;
    }
  | { readonly status: 'not_started'; readonly code: string };

/**
 * Signals passed on: what supervisors and people send to a server. SIGKILL and SIGSTOP cannot be; SIGINT from a terminal
 * reaches the child by itself as well, as it would alone. Node would open a debugger at SIGUSR1; whoever listens prevents it.
 */
const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const),
  ...(process.platform === 'win32'
    ? []
    : (['SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGWINCH', 'SIGCONT'] as const)),
];

/** A child that ended may leave its output to a grandchild; after so much silence (ms) nobody waits for that any more. */
const IDLE_AFTER_EXIT_MS = 1_000;

/** Runs a command until it ends. Never rejects. */
export async function runProxy(options: ProxyOptions): Promise<ProxyResult> {
  const child = spawnServer(options);
  const { stdin, stdout } = child;
  const exit = waitForExit(child);
  forwardSignals(child);
  // A child that closed its input makes writing fail; `forward` has heard of it by then.
  stdin.on('error', () => {});
  const { input, output } = forwardLines(
    { client: { input: options.stdin, output: options.stdout }, server: { input: stdin, output: stdout } },
    options.observer,
  );
  void input.done.then(() => stdin.end());
  options.observer?.start();

  const ended = await exit;
  const isIdle = (): boolean => options.stdout.writableLength === 0 && output.waitingBytes === 0;
  if (ended.status === 'ended') await Promise.race([output.done, waitForIdleOutput(stdout, isIdle)]);
  options.stdin.destroy();
  return ended;
}

function spawnServer({ command, args, environment }: ProxyOptions) {
  const line = withParentDeathSignal({ command, args }, environment['PATH']);
  return spawn(line.command, line.args, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
    windowsHide: true,
  });
}

type ChildExit =
  | { readonly status: 'ended'; readonly exitCode: number }
  | Extract<ProxyResult, { status: 'not_started' }>;

function waitForExit(child: ChildProcess): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ status: 'ended', exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] });
    });
    child.on('error', (error) => {
      // Also when a signal cannot be passed on; then the child is there, and ends by its own.
      if (child.pid === undefined)
        resolve({ status: 'not_started', code: 'code' in error ? String(error.code) : '' });
    });
  });
}

/** For as long as this process lives: afterwards they are for nobody, and end nothing of ours. */
function forwardSignals(child: ChildProcess): void {
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => void child.kill(signal));
}

/** Resolves when a second has passed in which nothing came and nothing was waiting to go on. */
function waitForIdleOutput(source: Readable, isIdle: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      if (isIdle()) resolve();
      else timer.refresh();
    }, IDLE_AFTER_EXIT_MS);
    source.on('data', () => timer.refresh());
    source.once('close', () => clearTimeout(timer));
  });
}

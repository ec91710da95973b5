// A child between two pipes, as if nobody stood there: its bytes, its stderr, its signals and its exit code pass
// through. The client's end of input is the way MCP stops a server, so it is passed on and then waited for.

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { forward, pump } from './forward.ts';
import { createLineGate } from './line-gate.ts';
import { createLineWeaver } from './line-weaver.ts';
import { createMessageTap, MAX_LINE_BYTES, type MessageTap } from './message-tap.ts';

export interface ProxyOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Gets each message the client sent, after it went on, or, with a `gate`, before. */
  readonly fromClient: (message: unknown) => object | undefined;
  /** Gets each message the server sent, after it went on. */
  readonly fromServer: (message: unknown) => void;
  /**
   * Where it is given, nothing the client sent goes on before it resolved; and a message for which `fromClient` returns an
   * answer does not go on at all: the client gets that. MUST NOT reject.
   */
  readonly gate?: Promise<void> | undefined;
}

export type ProxyResult =
  | {
      readonly status: 'ended';
      /** The child's own, or 128 plus the number of the signal that ended it. */
      readonly exitCode: number;
      /** Lines of both directions that were forwarded but not understood. */
      readonly unreadLines: number;
    }
  | { readonly status: 'not_started'; readonly code: string };

const LF = 0x0a;
const CR = 0x0d;

/** Signals passed on. SIGKILL cannot be; SIGINT from a terminal reaches the child by itself as well, as it would alone. */
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A child that ended may leave its output to a grandchild; after so much silence (ms) nobody waits for that any more. */
const SILENCE_AFTER_EXIT_MS = 1_000;

/** Runs a command until it ends. Never rejects. */
export async function runProxy(options: ProxyOptions): Promise<ProxyResult> {
  const child = spawnPiped(options);
  const { stdin, stdout } = child;
  const exit = waitForExit(child);
  const stopForwarding = forwardSignals(child);
  const downward = createMessageTap(options.fromServer);
  // A child that closed its input makes writing fail; `forward` has heard of it by then.
  stdin.on('error', () => {});
  const { input, output, upward } = options.gate
    ? passGuarded(options, child, downward)
    : passThrough(options, child, downward);
  void input.then(() => stdin.end());

  const ended = await exit;
  if (ended.status === 'ended') await Promise.race([output, waitForSilence(stdout, options.stdout)]);
  stopForwarding();
  options.stdin.destroy();
  upward.end();
  downward.end();
  return ended.status === 'ended' ? { ...ended, unreadLines: upward.unread + downward.unread } : ended;
}

function spawnPiped({ command, args, environment }: ProxyOptions) {
  return spawn(command, args, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
    windowsHide: true,
  });
}

type Pipes = Pick<ReturnType<typeof spawnPiped>, 'stdin' | 'stdout'>;

function passThrough(options: ProxyOptions, { stdin, stdout }: Pipes, downward: MessageTap) {
  const upward = createMessageTap((message) => void options.fromClient(message));
  const input = forward(options.stdin, stdin, upward.read);
  return { input, output: forward(stdout, options.stdout, downward.read), upward };
}

/** Line by line towards the server, so that one can be held back; our answers go between its own lines. */
function passGuarded(options: ProxyOptions, { stdin, stdout }: Pipes, downward: MessageTap) {
  const weaver = createLineWeaver();
  let answer: object | undefined;
  const upward = createMessageTap((message) => {
    answer = options.fromClient(message);
  });
  const gate = createLineGate({
    maxBytes: MAX_LINE_BYTES,
    admits(line) {
      answer = undefined;
      upward.read(line);
      if (line.at(-1) !== LF) upward.end();
      if (answer === undefined) return true;
      const ending = line.at(-2) === CR ? '\r\n' : '\n';
      writeAll(options.stdout, weaver.insert(Buffer.from(`${JSON.stringify(answer)}${ending}`)));
      return false;
    },
  });
  async function passInput(): Promise<void> {
    await options.gate;
    if (options.stdin.destroyed) return;
    await pump(options.stdin, stdin, (chunk) => {
      const full = writeAll(stdin, gate.push(chunk));
      return options.stdout.writableNeedDrain ? options.stdout : full;
    });
    writeAll(stdin, gate.end());
  }
  const output = pump(stdout, options.stdout, (chunk) => {
    const full = writeAll(options.stdout, weaver.pass(chunk));
    downward.read(chunk);
    return full;
  });
  return { input: passInput(), output, upward };
}

/** @returns the destination, if it is full */
function writeAll(destination: Writable, pieces: readonly Uint8Array[]): Writable | undefined {
  const hasRoom = pieces.map((piece) => destination.write(piece));
  return hasRoom.includes(false) ? destination : undefined;
}

type Exit =
  | { readonly status: 'ended'; readonly exitCode: number }
  | Extract<ProxyResult, { status: 'not_started' }>;

function waitForExit(child: ChildProcess): Promise<Exit> {
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

function forwardSignals(child: ChildProcess): () => void {
  const listeners = FORWARDED_SIGNALS.map((signal) => [signal, () => void child.kill(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Resolves when a second has passed in which nothing came and nothing was waiting to be taken. */
function waitForSilence(source: Readable, destination: Writable): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      if (destination.writableLength === 0) resolve();
      else timer.refresh();
    }, SILENCE_AFTER_EXIT_MS);
    source.on('data', () => timer.refresh());
    source.once('close', () => clearTimeout(timer));
  });
}

// `toolscope wrap` as a client starts it: the built command with three pipes. Needs `npm run build` first.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { normaliseSpan } from '../../src/core/dialects/normalise-span.ts';
import type { ToolCall } from '../../src/core/model/tool-call.ts';
import { SHAPE_REDACTION } from '../core/dialects/redaction.ts';
import { spansIn } from '../instrumentation/exporter/calls.ts';
import type { OtlpReceiver } from '../instrumentation/exporter/otlp-receiver.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The command line of a wrapped server, for tests that start it themselves. */
export function wrapCommand(args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [MAIN, 'wrap', ...args] };
}

/** An environment in which nothing but the given variables speaks of telemetry. */
export function cleanEnvironment(variables: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return {
    PATH,
    HOME,
    TOOLSCOPE_FINGERPRINT_KEY: 'test',
    TOOLSCOPE_SPOOL_MAX_BYTES: '0',
    TOOLSCOPE_ENDPOINT: 'http://127.0.0.1:1',
    ...variables,
  };
}

export interface WrapRun {
  readonly child: ChildProcessWithoutNullStreams;
  /** What came on stdout so far. */
  readonly stdout: () => Buffer;
  readonly stderr: () => string;
  /** Resolves when all pipes are closed. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export function startWrap(args: readonly string[], variables: Record<string, string> = {}): WrapRun {
  const line = wrapCommand(args);
  const child = spawn(line.command, line.args, { env: cleanEnvironment(variables) });
  const out: Buffer[] = [];
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.on('error', () => {}); // A child that is gone cannot be written to; the tests look at its end instead.
  return {
    child,
    stdout: () => Buffer.concat(out),
    stderr: () => err,
    ended: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal }))),
  };
}

/** Polls until a condition holds. */
export async function until(condition: () => boolean, what: string, withinMs = 40_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The calls a receiver has got so far, read as the service reads them. */
export function callsIn(receiver: OtlpReceiver): ToolCall[] {
  return receiver.bodies
    .flatMap(spansIn)
    .map((span) => normaliseSpan(span, SHAPE_REDACTION))
    .flatMap((read) => (read.kind === 'call' ? [read.call] : []));
}

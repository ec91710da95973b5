// A stdio server with large results in a process of its own, and a client that only looks for the ids: what is measured is the
// server.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../fixtures/servers/large-results.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
/** A server that is alive answers within this, however many requests wait. */
const RESPONSE_TIMEOUT_MS = 20_000;

export interface LargeResultServerOptions {
  readonly heapMb?: number;
  /** Variables of an observed server; a plain one has none. */
  readonly observed?: Readonly<Record<string, string>> | undefined;
  /** `closed`: a pipe whose reader has gone. */
  readonly stderr?: 'closed';
}

export interface LargeResult {
  readonly kind: 'rows' | 'text' | 'keys' | 'longKeys' | 'blocks';
  readonly kilobytes: number;
}

export interface LargeResultServer {
  readonly child: ChildProcess;
  /** Calls the tool; resolves to the milliseconds until its answer was there, or undefined when there is none. */
  call(result: LargeResult): Promise<number | undefined>;
  /** The longest stall (ms) of the server's event loop since it wrote its last answer. */
  longestStallMs(): Promise<number>;
  /** The largest resident memory so far, in MB. */
  peakMb(): number;
  /** Ends its input, as a client does. @returns how it ended */
  end(): Promise<string>;
}

/** Starts a server and says hello. */
export async function startLargeResultServer({
  heapMb,
  observed,
  stderr,
}: LargeResultServerOptions): Promise<LargeResultServer> {
  const own = Object.entries(process.env).filter(([name]) => !/^(TOOLSCOPE|OTEL|NODE)_/i.test(name));
  const limit = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const child = spawn(process.execPath, [...limit, SERVER, ...(observed ? [BUILT] : [])], {
    env: { ...Object.fromEntries(own), ...observed },
    stdio: ['pipe', 'pipe', stderr === 'closed' ? 'pipe' : 'ignore', 'ipc'],
  });
  child.stderr?.destroy();
  const waiting = new Map<number, (ms: number | undefined) => void>();
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const answer of waiting.values()) answer(undefined);
      resolve(signal ?? `code ${code}`);
    });
  });
  child.stdin?.on('error', () => {});
  let lastId = 0;
  if (child.stdout !== null) readIds(child.stdout, (id) => waiting.get(id)?.(performance.now()));
  async function ask(method: string, params: object): Promise<number | undefined> {
    if (hasEnded(child)) return undefined;
    lastId += 1;
    const id = lastId;
    const startMs = performance.now();
    const answered = new Promise<number | undefined>((resolve) => waiting.set(id, resolve));
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const endMs = await Promise.race([answered, pause(RESPONSE_TIMEOUT_MS, undefined, { ref: false })]);
    waiting.delete(id);
    return endMs === undefined ? undefined : endMs - startMs;
  }
  const clientInfo = { name: 'attack', version: '1.0.0' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  let peakMb = 0;
  return {
    child,
    call: (result) => ask('tools/call', { name: 'read', arguments: result }),
    longestStallMs: () =>
      new Promise((resolve) => {
        child.once('message', (message: { readonly longestMs: number }) => resolve(message.longestMs));
        child.send('stall');
      }),
    peakMb() {
      peakMb = Math.max(peakMb, readPeakMb(child));
      return peakMb;
    },
    async end() {
      child.stdin?.end();
      const late = setTimeout(() => child.kill('SIGKILL'), RESPONSE_TIMEOUT_MS);
      const how = await ended;
      clearTimeout(late);
      return how;
    },
  };
}

/**
 * Requests of one group. The next is made when all are answered: a server whose pipe is never empty keeps every result, observed
 * or not, because the SDK's `send` waits for the drain of its stream.
 */
const GROUP = 4;

/**
 * Calls in groups at an even pace, or as fast as the answers come.
 * @returns milliseconds of each, undefined where there was no answer
 */
export async function callEvenly(
  host: LargeResultServer,
  result: LargeResult,
  pace: { readonly perSecond: number; readonly seconds: number },
): Promise<readonly (number | undefined)[]> {
  const times: (number | undefined)[] = [];
  const startMs = performance.now();
  const isOver = () => performance.now() - startMs > pace.seconds * 1_000 || hasEnded(host.child);
  while (!isOver()) {
    const earlyMs = startMs + (times.length / pace.perSecond) * 1_000 - performance.now();
    if (earlyMs > 0) await pause(earlyMs);
    times.push(...(await Promise.all(Array.from({ length: GROUP }, () => host.call(result)))));
    host.peakMb();
  }
  return times;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The time below which the given part of the answers came; infinite where some did not come. */
export function quantileOfTimes(times: readonly (number | undefined)[], part: number): number {
  const sorted = times.map((time) => time ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function readPeakMb({ pid }: ChildProcess): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    // It has ended.
    return 0;
  }
}

/** An answer ends with its id, whatever its length. */
const TAIL_BYTES = 64;

function readIds(output: Readable, hear: (id: number) => void): void {
  let tail = Buffer.alloc(0);
  output.on('data', (chunk: Buffer) => {
    for (let from = 0; ; ) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      tail = Buffer.concat([tail, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      if (end < 0) return;
      const id = /"id":(\d+)\}$/.exec(tail.toString('latin1'))?.[1];
      if (id !== undefined) hear(Number(id));
      tail = Buffer.alloc(0);
      from = end + 1;
    }
  });
}

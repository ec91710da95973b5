// One server in a process of its own, called over its pipes, and what the whole process took: all threads, user and system,
// from the end of the warm-up until everything is delivered and its input has ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Latency, latencyOf } from './observe.ts';
import { openSpanSink, type SpanSink } from './span-sink.ts';
import { callAtPace, createStdioClient, type Pace, type StdioClient } from './stdio-client.ts';

export type ResultShape = 'text' | 'json' | 'structured';

export interface ServerRunOptions {
  readonly shape: ResultShape;
  readonly pace: Pace;
  /** The directory whose `dist/index.js` observes the server; without it the server is plain. */
  readonly package?: string | undefined;
}

export interface ServerRun {
  /** Microseconds of the whole process. */
  readonly cpuUsPerCall: number;
  readonly latency: Latency;
  readonly peakRssMb: number;
  /** Calls of the measured ones that came to the sink. */
  readonly delivered: number;
}

interface ServerReport {
  readonly cpuUs: number;
  readonly peakRssKb: number;
}

const SERVER = fileURLToPath(new URL('../fixtures/servers/measured.mjs', import.meta.url));
/** By then all that a call runs through is compiled. */
const WARM_UP_CALLS = 1_500;
/** What the warm-up leaves behind, such as compiling in the background, has time (ms) to end. */
const SETTLE_MS = 300;

/** Starts a server, calls it, and ends it. */
export async function runServer(options: ServerRunOptions): Promise<ServerRun> {
  const sink = await openSpanSink();
  // A place of its own, or it would send what the run before it left.
  const state = mkdtempSync(join(tmpdir(), 'toolscope-bench-'));
  const child = start(options, { TOOLSCOPE_ENDPOINT: sink.endpoint, XDG_STATE_HOME: state });
  const died = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`The measured server ended with ${code}.`)));
  });
  try {
    return await Promise.race([measure(child, sink, options), died]);
  } finally {
    child.kill('SIGKILL');
    sink.close();
    rmSync(state, { recursive: true, force: true });
  }
}

function start(options: ServerRunOptions, variables: Readonly<Record<string, string>>): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => !/^(TOOLSCOPE|OTEL|NODE)_/i.test(name));
  const observed = options.package === undefined ? [] : [options.package];
  return spawn(process.execPath, [SERVER, options.shape, ...observed], {
    env: { ...Object.fromEntries(own), ...variables },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
}

async function measure(child: ChildProcess, sink: SpanSink, options: ServerRunOptions): Promise<ServerRun> {
  if (child.stdin === null || child.stdout === null) throw new Error('The measured server has no pipes.');
  const client = createStdioClient(child.stdin, child.stdout);
  await client.open();
  await warmUp(client, sink, options);
  const marked = nextMessage(child);
  child.send('mark');
  await marked;
  const warmUpId = client.lastId;
  const times = await callAtPace(client, options.pace);
  if (options.package !== undefined) await sink.waitFor(WARM_UP_CALLS + options.pace.calls);
  const reported = nextMessage(child);
  child.stdin.end();
  // It sends nothing else.
  const { cpuUs, peakRssKb } = (await reported) as ServerReport;
  return {
    cpuUsPerCall: cpuUs / options.pace.calls,
    latency: latencyOf(times),
    peakRssMb: peakRssKb / 1_024,
    delivered: sink.arrivedAfter(warmUpId),
  };
}

async function warmUp(client: StdioClient, sink: SpanSink, options: ServerRunOptions): Promise<void> {
  await callAtPace(client, { calls: WARM_UP_CALLS, inFlight: options.pace.inFlight });
  if (options.package !== undefined) await sink.waitFor(WARM_UP_CALLS);
  await pause(SETTLE_MS);
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve));
}

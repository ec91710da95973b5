// One server in a process of its own, called directly or through a process in between, and what that one took: all threads,
// from the end of the warm-up until everything is delivered.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Latency, latencyOf } from './observe.ts';
import { type ProcessUsage, readProcessUsage } from './process-usage.ts';
import { openSpanSink, type SpanSink } from './span-sink.ts';
import { createStdioClient } from './stdio-client.ts';
import { callAtPace, type Pace, type ToolClient } from './tool-client.ts';

/** `bare` is a Node process that only pipes; `wrap` is the command. */
export type PipeWay = 'direct' | 'bare' | 'wrap';

export interface PipeRunOptions {
  readonly way: PipeWay;
  /** The directory whose `dist/cli/main.js` wraps. */
  readonly package: string;
  /** What `node` is given to run the server. */
  readonly server: readonly string[];
  readonly pace: Pace;
}

export interface PipeRun {
  readonly callsPerSecond: number;
  readonly latency: Latency;
  /** Microseconds of the process in between; 0 where there is none. */
  readonly cpuUsPerCall: number;
  /** Of the process in between. */
  readonly rssMb: number;
  readonly peakRssMb: number;
  /** Calls of the measured ones that came to the sink. */
  readonly delivered: number;
}

const BARE_PIPE = fileURLToPath(new URL('../attack/fixtures/bare-pipe.mjs', import.meta.url));
/** By then all that a call runs through is compiled. */
const WARM_UP_CALLS = 1_500;
/** What the warm-up leaves behind, such as compiling in the background, has time (ms) to end. */
const SETTLE_MS = 300;

/** Starts a server, calls it, and ends it. */
export async function runThroughPipe(options: PipeRunOptions): Promise<PipeRun> {
  const sink = await openSpanSink();
  const state = mkdtempSync(join(tmpdir(), 'toolscope-bench-'));
  const child = start(options, { TOOLSCOPE_ENDPOINT: sink.endpoint, XDG_STATE_HOME: state });
  const died = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`The measured process ended with ${code}.`)));
  });
  try {
    return await Promise.race([measure(child, sink, options), died]);
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    sink.close();
    rmSync(state, { recursive: true, force: true });
  }
}

function start(
  { way, package: directory, server }: PipeRunOptions,
  variables: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const own = Object.entries(process.env).filter(([name]) => !/^(TOOLSCOPE|OTEL|NODE)_/i.test(name));
  const between = {
    direct: [],
    bare: [BARE_PIPE, process.execPath],
    wrap: [join(directory, 'dist/cli/main.js'), 'wrap', '--', process.execPath],
  }[way];
  return spawn(process.execPath, [...between, ...server], {
    env: { ...Object.fromEntries(own), ...variables },
  });
}

async function measure(
  child: ChildProcessWithoutNullStreams,
  sink: SpanSink,
  { way, pace }: PipeRunOptions,
): Promise<PipeRun> {
  const client = createStdioClient(child.stdin, child.stdout);
  await client.open();
  await warmUp(client, sink, { way, pace });
  const before = usageOf(child);
  const warmUpId = client.lastId;
  const startMs = performance.now();
  const times = await callAtPace(client, pace);
  const tookMs = performance.now() - startMs;
  if (way === 'wrap') await sink.waitFor(WARM_UP_CALLS + pace.calls);
  const after = usageOf(child);
  return {
    callsPerSecond: (pace.calls / tookMs) * 1_000,
    latency: latencyOf(times),
    cpuUsPerCall: way === 'direct' ? 0 : (after.cpuUs - before.cpuUs) / pace.calls,
    rssMb: after.rssMb,
    peakRssMb: after.peakRssMb,
    delivered: sink.arrivedAfter(warmUpId),
  };
}

async function warmUp(
  client: ToolClient,
  sink: SpanSink,
  { way, pace }: Pick<PipeRunOptions, 'way' | 'pace'>,
): Promise<void> {
  await callAtPace(client, { calls: WARM_UP_CALLS, inFlight: pace.inFlight });
  if (way === 'wrap') await sink.waitFor(WARM_UP_CALLS);
  await pause(SETTLE_MS);
}

function usageOf({ pid = 0 }: ChildProcessWithoutNullStreams): ProcessUsage {
  return readProcessUsage(pid);
}

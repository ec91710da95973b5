// Attacks on the process of a host that is observed: it must not notice us, whatever its results are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, AttackReport, AttackSize } from './attack.ts';
import { openCountingReceiver } from './counting-receiver.ts';
import {
  callEvenly,
  type LargeResult,
  type LargeResultServer,
  quantileOfTimes,
  startLargeResultServer,
} from './large-result-server.ts';

const HEAP_MB = 256;
const PER_SECOND = 200;
const RESULT = { kind: 'rows', kilobytes: 200 } as const;
const SECONDS: Readonly<Record<AttackSize, number>> = { short: 6, full: 60 };
const MAX_ADDED_MB = 60;

type ReceiverBehaviour = Parameters<typeof openCountingReceiver>[0];

interface ServerMeasurements {
  readonly exit: string;
  readonly answered: number;
  readonly asked: number;
  readonly p99Ms: number;
  readonly peakMb: number;
  readonly left: string;
  readonly unaccounted: number;
}

async function measurePlain(seconds: number): Promise<ServerMeasurements> {
  return measureServer(await startLargeResultServer({ heapMb: HEAP_MB }), seconds);
}

async function measureObserved(behaviour: ReceiverBehaviour, seconds: number): Promise<ServerMeasurements> {
  const receiver = await openCountingReceiver(behaviour);
  const state = mkdtempSync(join(tmpdir(), 'toolscope-attack-'));
  try {
    const observed = { TOOLSCOPE_ENDPOINT: receiver.endpoint, XDG_STATE_HOME: state };
    const measurements = await measureServer(
      await startLargeResultServer({ heapMb: HEAP_MB, observed }),
      seconds,
    );
    const { stored, dropped, undescribed } = receiver.count(state);
    const accounting = `${stored} stored (${undescribed} not described), ${dropped} dropped`;
    return { ...measurements, left: accounting, unaccounted: measurements.answered - stored - dropped };
  } finally {
    await receiver.close();
    rmSync(state, { recursive: true, force: true });
  }
}

async function measureServer(server: LargeResultServer, seconds: number): Promise<ServerMeasurements> {
  const times = await callEvenly(server, RESULT, { perSecond: PER_SECOND, seconds });
  const answered = times.filter((time) => time !== undefined);
  const peakMb = server.peakMb();
  const exit = await server.end();
  const p99Ms = quantileOfTimes(times, 0.99);
  return { exit, answered: answered.length, asked: times.length, p99Ms, peakMb, left: '', unaccounted: 0 };
}

async function attackHeap(size: AttackSize): Promise<AttackReport> {
  const seconds = SECONDS[size];
  const plain = await measurePlain(seconds);
  const broken: string[] = [];
  const measurements: Record<string, string> = { plain: formatMeasurements(plain) };
  for (const behaviour of size === 'short'
    ? (['dead'] as const)
    : (['healthy', 'hanging', 'dead'] as const)) {
    const observed = await measureObserved(behaviour, seconds);
    measurements[behaviour] = `${formatMeasurements(observed)}, ${observed.left}`;
    const fail = (what: string) => broken.push(`with a ${behaviour} service ${what}`);
    if (observed.exit !== 'code 0') fail(`the host ended with ${observed.exit}`);
    if (observed.answered < observed.asked) fail(`${observed.asked - observed.answered} calls had no answer`);
    if (observed.unaccounted > 0) fail(`${observed.unaccounted} calls are neither stored nor counted`);
    if (observed.peakMb > plain.peakMb + MAX_ADDED_MB)
      fail(`the host took ${Math.round(observed.peakMb - plain.peakMb)} MB more than plain`);
    // What else runs beside a short run decides its latency.
    if (size === 'full' && observed.p99Ms > 2 * plain.p99Ms) fail('p99 is more than twice that of plain');
  }
  return { broken, figures: measurements };
}

/** Results whose description would cost most, each of megabytes. */
const HUGE_RESULTS: Readonly<Record<AttackSize, readonly LargeResult[]>> = {
  short: [{ kind: 'longKeys', kilobytes: 25_600 }],
  full: [
    { kind: 'longKeys', kilobytes: 51_200 },
    { kind: 'blocks', kilobytes: 20_480 },
    { kind: 'text', kilobytes: 51_200 },
    { kind: 'rows', kilobytes: 20_480 },
  ],
};
/** What our own work, and a collection of the host's, may take (ms) at once; a machine with others on it adds to both. */
const MAX_STALL_MS = 60;

/** The longest stall of a server in the second after a result was read, the shortest of some tries. */
async function measureStall(server: LargeResultServer, result: LargeResult): Promise<number> {
  const stalls: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    await server.call(result);
    await pause(600);
    stalls.push(await server.longestStallMs());
  }
  return Math.min(...stalls);
}

async function attackClosedStderr(): Promise<AttackReport> {
  const state = mkdtempSync(join(tmpdir(), 'toolscope-attack-'));
  const observed = {
    TOOLSCOPE_ENDPOINT: 'http://127.0.0.1:9',
    XDG_STATE_HOME: state,
    OTEL_LOG_LEVEL: 'info',
  };
  const server = await startLargeResultServer({ observed, stderr: 'closed' });
  let answered = 0;
  for (let call = 0; call < 5 && server.child.exitCode === null; call += 1) {
    // Calls are sent ten milliseconds after they came; the first failure is told then.
    await pause(300);
    if ((await server.call({ kind: 'text', kilobytes: 1 })) !== undefined) answered += 1;
  }
  const exit = await server.end();
  rmSync(state, { recursive: true, force: true });
  const isAlive = answered === 5 && exit === 'code 0';
  return {
    broken: isAlive ? [] : [`the host answered ${answered} of 5 calls and ended with ${exit}`],
    figures: { answered },
  };
}

async function attackEventLoop(size: AttackSize): Promise<AttackReport> {
  const state = mkdtempSync(join(tmpdir(), 'toolscope-attack-'));
  const observed = { TOOLSCOPE_ENDPOINT: 'http://127.0.0.1:9', XDG_STATE_HOME: state };
  const server = await startLargeResultServer({ observed });
  const broken: string[] = [];
  const measurements: Record<string, string> = {};
  try {
    for (const result of HUGE_RESULTS[size]) {
      const stallMs = await measureStall(server, result);
      measurements[`${result.kind}, ${result.kilobytes} kB, stall`] = `${stallMs.toFixed(1)} ms`;
      if (stallMs > MAX_STALL_MS) broken.push(`${result.kind} stopped the event loop for ${stallMs} ms`);
    }
    const exit = await server.end();
    if (exit !== 'code 0') broken.push(`the host ended with ${exit}`);
  } finally {
    server.child.kill('SIGKILL');
    rmSync(state, { recursive: true, force: true });
  }
  return { broken, figures: measurements };
}

function formatMeasurements({ answered, asked, p99Ms, peakMb, exit }: ServerMeasurements): string {
  return `${answered} of ${asked} answered, p99 ${p99Ms.toFixed(1)} ms, peak ${Math.round(peakMb)} MB, ${exit}`;
}

export const attacks: readonly Attack[] = [
  {
    title: `a host of ${HEAP_MB} MB lives through ${PER_SECOND} results of 200 kB a second, and no call is lost uncounted`,
    run: attackHeap,
  },
  { title: 'the event loop goes on after results of tens of megabytes', run: attackEventLoop },
  { title: 'a host that asked for diagnostics lives on when its stderr is closed', run: attackClosedStderr },
];

// What observing adds to a whole server: the same one plain and observed by Toolscope and by other products, each in a
// process of its own, all alive at once and called in turns, so that what else the machine does meets all of them. The figure
// is CPU time until everything is delivered, because other work changes it less than latencies.
import { fileURLToPath } from 'node:url';
import {
  type MeasuredServer,
  type Measurement,
  type Observer,
  type ResultShape,
  startMeasuredServer,
  type Transport,
} from './measured-server.ts';
import { installPeerPackages } from './peer-packages.ts';

export interface HostBenchOptions {
  /** Directories whose `dist/index.js` is measured; this one's unless given. */
  readonly packages?: readonly string[] | undefined;
  /** Words such as `stdio`, `http`, `text`, `structured`: only cells that have all of them are measured. */
  readonly only?: readonly string[] | undefined;
  /** Measured calls of a round. */
  readonly calls: number;
  readonly say: (line: string) => void;
}

const THIS_PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 3;
const WARM_UP_CALLS = 1_500;
const IN_FLIGHT = [1, 50] as const;
const CELLS: readonly {
  readonly transport: Transport;
  readonly shape: ResultShape;
  readonly label: string;
}[] = [
  { transport: 'stdio', shape: 'text', label: 'stdio, 110 B text' },
  { transport: 'stdio', shape: 'structured', label: 'stdio, 10 kB structured' },
  { transport: 'http', shape: 'text', label: 'http, 110 B text' },
  { transport: 'http', shape: 'structured', label: 'http, 10 kB structured' },
];

interface Arm {
  readonly label: string;
  readonly observer: Observer;
}

/** Measures every cell and says a line for each observer. */
export async function benchHost({
  packages = [THIS_PACKAGE],
  only = [],
  calls,
  say,
}: HostBenchOptions): Promise<void> {
  const arms = [{ label: 'plain', observer: { kind: 'plain' } as const }, ...listArms(packages, say)];
  for (const { transport, shape, label } of CELLS) {
    if (!only.every((word) => [transport, shape].some((name) => name === word))) continue;
    say(`  ${label}, medians of ${ROUNDS} rounds of ${calls} calls`);
    for (const line of await measureCell({ transport, shape, calls }, arms)) say(`    ${line}`);
  }
}

function listArms(packages: readonly string[], say: (line: string) => void): Arm[] {
  const own = packages.map((directory, at) => ({
    label: at === 0 ? 'toolscope' : `toolscope ${at + 1}`,
    observer: { kind: 'toolscope', directory } as const,
  }));
  const peers = installPeerPackages();
  if ('problem' in peers) {
    say(`  without Sentry and PostHog, which could not be installed: ${peers.problem}`);
    return own;
  }
  const { directory } = peers;
  return [
    ...own,
    { label: 'sentry', observer: { kind: 'sentry', directory } },
    { label: 'posthog', observer: { kind: 'posthog', directory } },
  ];
}

interface Cell {
  readonly transport: Transport;
  readonly shape: ResultShape;
  readonly calls: number;
}

async function measureCell({ transport, shape, calls }: Cell, arms: readonly Arm[]): Promise<string[]> {
  const servers: MeasuredServer[] = [];
  try {
    for (const { observer } of arms) servers.push(await startMeasuredServer({ observer, transport, shape }));
    for (const server of servers)
      for (const inFlight of IN_FLIGHT) await server.measure({ calls: WARM_UP_CALLS / 2, inFlight });
    const lines = [formatStarts(arms, servers)];
    for (const inFlight of IN_FLIGHT) {
      const rounds = await measureInTurns(servers, { calls, inFlight });
      lines.push(
        ...arms.map(({ label }, at) => formatArm(`${inFlight} in flight  ${label}`, rounds, { at, calls })),
      );
    }
    return lines;
  } finally {
    for (const server of servers) server.stop();
  }
}

type Rounds = readonly (readonly Measurement[])[];

/** @returns by server, its rounds */
async function measureInTurns(
  servers: readonly MeasuredServer[],
  pace: { readonly calls: number; readonly inFlight: number },
): Promise<Rounds> {
  const rounds = servers.map((): Measurement[] => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, server] of servers.entries()) rounds[at]?.push(await server.measure(pace));
  return rounds;
}

function formatStarts(arms: readonly Arm[], servers: readonly MeasuredServer[]): string {
  return `start  ${arms.map(({ label }, at) => `${label} ${servers[at]?.startMs.toFixed(0)} ms`).join('  ')}`;
}

function formatArm(
  label: string,
  rounds: Rounds,
  { at, calls }: { readonly at: number; readonly calls: number },
): string {
  const [plain = [], own = []] = [rounds[0], rounds[at]];
  const of = (read: (one: Measurement) => number) => medianOf(own.map(read));
  const cpu = of(({ cpuUsPerCall }) => cpuUsPerCall);
  const added = own.map((one, round) => one.cpuUsPerCall - (plain[round]?.cpuUsPerCall ?? Number.NaN));
  const delivered = own.reduce((sum, one) => sum + one.delivered, 0);
  const expected = calls * own.length;
  return (
    `${label.padEnd(24)} ${cpu.toFixed(0).padStart(5)} µs CPU a call` +
    (at === 0
      ? ''.padEnd(29)
      : `  adds ${medianOf(added).toFixed(0).padStart(4)} (${added.map((one) => one.toFixed(0)).join(', ')})`.padEnd(
          29,
        )) +
    `  p50 ${of(({ latency }) => latency.p50Us).toFixed(0)} p99 ${of(({ latency }) => latency.p99Us).toFixed(0)} µs` +
    `  ${of(({ rssMb }) => rssMb).toFixed(0)} MB` +
    (at === 0 || delivered === expected ? '' : `  !!! delivered ${delivered} of ${expected} !!!`)
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

// What `observe()` adds to a whole server: the same one plain and observed, each run in a process of its own, in turns, and
// the medians of the rounds. CPU time, because other work on the machine changes it less; latencies only say where it ran.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResultShape, runServer, type ServerRun } from './server-run.ts';
import type { Pace } from './stdio-client.ts';

export interface InstrumentationBenchOptions {
  /** Directories whose `dist/index.js` is measured, each against the same plain server; this one's unless given. */
  readonly packages?: readonly string[] | undefined;
  /** Measured calls of a run. */
  readonly calls: number;
  readonly say: (line: string) => void;
}

const THIS_PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 3;
const SHAPES: readonly (readonly [ResultShape, string])[] = [
  ['text', '110 B text'],
  ['json', '2 kB JSON text'],
  ['structured', '10 kB structured'],
];
/** A pace that leaves the wrapper time to deliver gives the figure; flat out shows what a burst does to it. */
const PACES: readonly (readonly [string, Omit<Pace, 'calls'>])[] = [
  ['1 at a time, ≤ 1000/s', { inFlight: 1, perSecond: 1_000 }],
  ['50 at once, ≤ 1000/s', { inFlight: 50, perSecond: 1_000 }],
  ['50 in flight, flat out', { inFlight: 50 }],
];

/** Measures every shape of result at every pace and says a line of each. */
export async function benchInstrumentation({
  packages = [THIS_PACKAGE],
  calls,
  say,
}: InstrumentationBenchOptions): Promise<void> {
  const directories = packages.map((directory) => resolve(directory));
  for (const directory of directories) say(`  observed by ${directory}/dist/index.js`);
  for (const [label, pace] of PACES)
    for (const [shape, name] of SHAPES) {
      const runs = await runAlternating(shape, { ...pace, calls }, directories);
      for (const directory of directories) {
        const which = directories.length > 1 ? `  ${directory}` : '';
        for (const line of formatRuns(runs, directory, calls))
          say(`  ${label.padEnd(22)}  ${name.padEnd(16)}${line}${which}`);
      }
    }
}

/** By package; the plain server's are under ''. */
type Runs = ReadonlyMap<string, readonly ServerRun[]>;

async function runAlternating(shape: ResultShape, pace: Pace, directories: readonly string[]): Promise<Runs> {
  const runs = new Map<string, ServerRun[]>(['', ...directories].map((directory) => [directory, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [directory, done] of runs)
      done.push(await runServer({ shape, pace, package: directory === '' ? undefined : directory }));
  return runs;
}

function formatRuns(runs: Runs, directory: string, calls: number): string[] {
  const plain = runs.get('') ?? [];
  const observed = runs.get(directory) ?? [];
  const [plainUs, observedUs] = [medianOf(plain, cpu), medianOf(observed, cpu)];
  const added = observed.map((run, at) => run.cpuUsPerCall - (plain[at]?.cpuUsPerCall ?? Number.NaN));
  const expected = calls * observed.length;
  const delivered = observed.reduce((sum, run) => sum + run.delivered, 0);
  const line =
    `  plain ${plainUs.toFixed(0)} µs CPU a call  observed ${observedUs.toFixed(0)}` +
    `  adds ${(observedUs - plainUs).toFixed(0)} (${Math.min(...added).toFixed(0)} to ${Math.max(...added).toFixed(0)})` +
    `  × ${(observedUs / plainUs).toFixed(2)}  delivered ${delivered} of ${expected}` +
    `  p50 ${formatPair(plain, observed, (run) => run.latency.p50Us / 1_000, 2)} p99 ${formatPair(plain, observed, (run) => run.latency.p99Us / 1_000, 1)} ms` +
    `  peak ${formatPair(plain, observed, (run) => run.peakRssMb, 0)} MB`;
  return delivered === expected ? [line] : [line, `  !!! ${expected - delivered} CALLS ARE MISSING !!!`];
}

const cpu = (run: ServerRun): number => run.cpuUsPerCall;

function formatPair(
  plain: readonly ServerRun[],
  observed: readonly ServerRun[],
  read: (run: ServerRun) => number,
  digits: number,
): string {
  return `${medianOf(plain, read).toFixed(digits)} → ${medianOf(observed, read).toFixed(digits)}`;
}

function medianOf(runs: readonly ServerRun[], read: (run: ServerRun) => number): number {
  const sorted = runs.map(read).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

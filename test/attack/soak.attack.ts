// Mixed traffic for as long as asked, and what becomes of the memory. Two minutes, or `SOAK_MINUTES` of them:
// `SOAK_MINUTES=60 npm run attack -- --size full soak`.
import { readdirSync, readFileSync } from 'node:fs';
import { listChildProcesses } from '../support/child-processes.ts';
import { pause, type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import type { Attack, AttackReport } from './attack.ts';
import { MixedTraffic } from './mixed-traffic.ts';

const TWO_MINUTES = 2;
/** Between two rounds of the traffic; with it the service takes some tenth of a processor. */
const ROUND_MS = 250;
/** What a process may have grown by from the middle of the time to its end: a fifth, and room for one collection. */
const MAX_GROWTH = 1.2;
const SLACK_MEGABYTES = 30;
const PLOT_POINTS = 60;

interface Sample {
  readonly service: number;
  readonly engine: number;
  readonly descriptors: number;
}

export const attacks: readonly Attack[] = [
  {
    title: 'memory stays flat under mixed traffic, and every call is counted once',
    sizes: ['full'],
    run: soak,
  },
];

async function soak(): Promise<AttackReport> {
  const minutes = Number(process.env['SOAK_MINUTES'] ?? TWO_MINUTES);
  if (!(minutes > 0 && minutes <= 120)) throw new Error(`SOAK_MINUTES takes 0 to 120, not ${minutes}.`);
  const service = await startService();
  try {
    const traffic = new MixedTraffic(service);
    const samples = await sampleDuring(service, { traffic, minutes });
    await waitUntilDrained(service);
    const { totals } = await service.ask<{ totals: { calls: number } }>('summary?from=now-3h');
    return evaluateSoak(samples, { acknowledged: traffic.acknowledged, stored: totals.calls, traffic });
  } finally {
    await service.stop();
  }
}

async function sampleDuring(
  service: RunningService,
  { traffic, minutes }: { readonly traffic: MixedTraffic; readonly minutes: number },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const until = Date.now() + minutes * 60_000;
  const everyMs = Math.max(1_000, (minutes * 60_000) / 600);
  for (let sampledAt = 0; Date.now() < until; await pause(ROUND_MS)) {
    await traffic.round();
    if (Date.now() - sampledAt < everyMs) continue;
    sampledAt = Date.now();
    samples.push(sample(service));
  }
  return samples;
}

function sample({ pid }: RunningService): Sample {
  const [engine] = listChildProcesses(pid);
  return {
    service: rssMb(pid),
    engine: engine === undefined ? 0 : rssMb(engine),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function rssMb(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

interface SoakCounts {
  readonly acknowledged: number;
  readonly stored: number;
  readonly traffic: MixedTraffic;
}

function evaluateSoak(
  samples: readonly Sample[],
  { acknowledged, stored, traffic }: SoakCounts,
): AttackReport {
  const parts = (['service', 'engine', 'descriptors'] as const).map((what) => {
    const values = samples.map((one) => one[what]);
    return { what, values, begin: atPart(values, 0.1), middle: atPart(values, 0.5), end: atPart(values, 1) };
  });
  const grown = parts.filter(({ middle, end }) => end > middle * MAX_GROWTH + SLACK_MEGABYTES);
  return {
    broken: [
      ...grown.map(
        ({ what, middle, end }) => `${what} grew from ${middle} in the middle to ${end} at the end.`,
      ),
      ...(stored === acknowledged
        ? []
        : [`${acknowledged} calls were acknowledged and ${stored} are counted.`]),
      ...traffic.surprises,
    ],
    figures: {
      acknowledged_calls: acknowledged,
      counted_calls: stored,
      ...traffic.figures,
      ...Object.fromEntries(
        parts.flatMap(({ what, values, begin, middle, end }) => [
          [
            what === 'descriptors' ? what : `${what}_megabytes`,
            `${begin} at the begin, ${middle} in the middle, ${end} at the end`,
          ],
          [`${what}_plot`, drawPlot(values)],
        ]),
      ),
    },
  };
}

/** The median of a tenth of the samples that ends there. */
function atPart(values: readonly number[], part: number): number {
  const end = Math.max(1, Math.round(values.length * part));
  const tenth = values.slice(Math.max(0, end - Math.ceil(values.length / 10)), end).sort((a, b) => a - b);
  return tenth[Math.floor(tenth.length / 2)] ?? 0;
}

const BARS = '▁▂▃▄▅▆▇█';

/** From zero, so that flat looks flat. */
function drawPlot(values: readonly number[]): string {
  const highest = Math.max(...values, 1);
  const step = Math.max(1, Math.ceil(values.length / PLOT_POINTS));
  return values
    .filter((_, at) => at % step === 0)
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor((value / highest) * BARS.length))])
    .join('');
}

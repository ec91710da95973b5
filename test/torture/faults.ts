// What is done to the processes: each torment is one thing that happens to machines, and leaves the world running again.
import { listChildProcesses } from '../support/child-processes.ts';
import { pause, type RunningService } from '../support/service.ts';
import type { JournalDisk } from './journal-disk.ts';
import type { ProducerKind, Producers } from './producers.ts';
import type { WeightedRandom } from './random.ts';

export interface FaultTargets {
  readonly service: RunningService;
  readonly producers: Producers;
  readonly disk: JournalDisk | undefined;
  readonly random: WeightedRandom;
}

/** How often each thing was done. */
export interface FaultTally {
  serviceKills: number;
  engineKills: number;
  producerKills: number;
  stops: number;
  fullDisks: number;
}

export const emptyTally = (): FaultTally => ({
  serviceKills: 0,
  engineKills: 0,
  producerKills: 0,
  stops: 0,
  fullDisks: 0,
});

export const countKills = ({ serviceKills, engineKills, producerKills }: FaultTally): number =>
  serviceKills + engineKills + producerKills;

type FaultInjection = (world: FaultTargets, tally: FaultTally) => Promise<void>;

const killService: FaultInjection = async ({ service, random }, tally) => {
  tally.serviceKills += 1;
  await service.kill();
  await pause(random.between(0, 1_000));
  await service.start();
};

const killEngine: FaultInjection = async ({ service }, tally) => {
  const [engine] = listChildProcesses(service.pid);
  if (engine === undefined) return;
  tally.engineKills += 1;
  process.kill(engine, 'SIGKILL');
};

/** A process that died while it stood still got no chance; so it goes on, and has a second before anything else comes. */
async function suspend(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
  await pause(1_000);
}

const suspendService: FaultInjection = async ({ service, random }, tally) => {
  tally.stops += 1;
  await suspend(service.pid, random.between(200, 3_000));
};

const suspendEngine: FaultInjection = async ({ service, random }, tally) => {
  const [engine] = listChildProcesses(service.pid);
  if (engine === undefined) return;
  tally.stops += 1;
  await suspend(engine, random.between(200, 3_000));
};

const killProducer =
  (kind: ProducerKind): FaultInjection =>
  async ({ producers, random }, tally) => {
    const victim = random.pick(producers.running.filter((one) => one.kind === kind).map((one) => [1, one]));
    tally.producerKills += 1;
    await producers.kill(victim);
    producers.start(kind);
  };

const suspendProducer: FaultInjection = async ({ producers, random }, tally) => {
  const { child } = random.pick(producers.running.map((one) => [1, one]));
  if (child.pid === undefined) return;
  tally.stops += 1;
  await suspend(child.pid, random.between(200, 2_000));
};

const fillDisk: FaultInjection = async ({ service, disk, random }, tally) => {
  if (!disk) return;
  tally.fullDisks += 1;
  disk.fill();
  await pause(random.between(500, 4_000));
  const isKilled = random.next() < 0.3;
  if (isKilled) {
    tally.serviceKills += 1;
    await service.kill();
  }
  disk.free();
  if (isKilled) await service.start();
};

export const INJECTED_FAULTS: readonly (readonly [weight: number, torment: FaultInjection])[] = [
  [5, killService],
  [4, killEngine],
  [5, killProducer('mcp')],
  [2, killProducer('otlp')],
  [2, suspendService],
  [2, suspendEngine],
  [1, suspendProducer],
  [2, fillDisk],
];

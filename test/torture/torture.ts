// The kill test: producers send from several processes while they, the service and its engine are killed, stopped and let go
// on at random, and the journal's disk is filled and freed. At the end what producers were told is compared with what is there.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { startEngine } from '../../src/service/engine/engine.ts';
import { createStore } from '../../src/service/store/store.ts';
import { auditStore, type StoreAudit } from '../support/oracle/audit-store.ts';
import {
  pause,
  type RunningService,
  startService,
  waitUntilDrained,
  waitUntilSpoolEmpty,
} from '../support/service.ts';
import { countKills, emptyTally, type FaultTally, type FaultTargets, INJECTED_FAULTS } from './faults.ts';
import { type JournalDisk, mountJournalDisk } from './journal-disk.ts';
import { PRODUCER_HEARTBEAT_MS, type ProducerLogLine, readProducerLogs } from './producer-log.ts';
import { Producers } from './producers.ts';
import { createWeightedRandom } from './random.ts';

export interface TortureOptions {
  readonly seed: number;
  /** It goes on until both are reached. */
  readonly seconds: number;
  readonly kills: number;
  /** Told what is being done. */
  readonly say?: (sentence: string) => void;
}

export interface TortureReport {
  readonly tally: FaultTally;
  /** Whether the journal had a disk of its own that could be filled. */
  readonly hasDisk: boolean;
  /** Spans acknowledged by OTLP, and calls answered early enough before their process was killed. */
  readonly promised: number;
  /** Calls answered in the last 200 ms of a process that was killed. */
  readonly unpromised: number;
  /** Calls answered before that, and lost all the same by a process that the machine had hardly let run since. */
  readonly starved: number;
  readonly stored: number;
  readonly quarantined: number;
  /** Promised, and neither stored nor in quarantine; with the age at death where its process was killed. */
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly differences: readonly string[];
}

/** How long before a kill a call must have been answered for its span to be promised. */
const GRACE_MS = 200;
/** Fewer beats than this within the grace: on a machine with more to do than it can, a process may stand still for long. */
const MIN_HEARTBEATS = (0.7 * GRACE_MS) / PRODUCER_HEARTBEAT_MS;

export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const folder = await mkdtemp(join(tmpdir(), 'toolscope-torture-'));
  const ledgers = join(folder, 'ledgers');
  await mkdir(ledgers);
  let disk: JournalDisk | undefined;
  const service = await startService({
    prepare: (dataDirectory) => {
      disk = mountJournalDisk(dataDirectory);
    },
  });
  try {
    const stateDirectory = join(folder, 'state');
    const producers = new Producers({ base: service.base, ledgers, stateDirectory });
    const targets = { service, producers, disk, random: createWeightedRandom(options.seed) };
    const tally = await injectFaults(targets, options);
    await waitUntilSettled(targets, stateDirectory);
    await service.halt();
    return await evaluateTorture({ service, producers, ledgers, hasDisk: disk !== undefined, tally });
  } finally {
    await service.kill();
    disk?.unmount();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function injectFaults(targets: FaultTargets, options: TortureOptions): Promise<FaultTally> {
  const { producers, random } = targets;
  const { seconds, kills, say = () => undefined } = options;
  for (const kind of ['otlp', 'otlp', 'mcp', 'mcp'] as const) producers.start(kind);
  const tally = emptyTally();
  const endsAt = Date.now() + seconds * 1_000;
  while (Date.now() < endsAt || countKills(tally) < kills) {
    await pause(random.between(300, 2_500));
    await random.pick(INJECTED_FAULTS)(targets, tally);
    say(`${Math.max(0, Math.round((endsAt - Date.now()) / 1_000))} s left: ${formatTally(tally)}`);
  }
  return tally;
}

export function formatTally(tally: FaultTally): string {
  const { serviceKills, engineKills, producerKills, stops, fullDisks } = tally;
  return `killed service ${serviceKills}, engine ${engineKills}, producers ${producerKills}; stopped ${stops}; disk full ${fullDisks}`;
}

/** Everybody finishes; what the dead left on disk is taken over by a process that makes no calls; the journal runs dry. */
async function waitUntilSettled({ producers, service }: FaultTargets, stateDirectory: string): Promise<void> {
  await producers.finish();
  producers.start('mcp', { isIdle: true });
  await waitUntilSpoolEmpty(stateDirectory);
  await producers.finish();
  await waitUntilDrained(service);
}

interface TortureRemains {
  readonly service: RunningService;
  readonly producers: Producers;
  readonly ledgers: string;
  readonly hasDisk: boolean;
  readonly tally: FaultTally;
}

async function evaluateTorture({
  service,
  producers,
  ledgers,
  hasDisk,
  tally,
}: TortureRemains): Promise<TortureReport> {
  const lines = readProducerLogs(ledgers);
  const events = lines.filter((line) => line.said !== 'beat');
  const promised = events.filter((line) => isPromised(line, producers.killedAt));
  const counted = await auditDataDirectory(service.dataDirectory);
  const quarantine = await readQuarantine(service.dataDirectory);
  const missing = promised.filter(({ traceId }) => !counted.traceIds.has(traceId));
  const unaccounted = missing.filter(({ traceId }) => !quarantine.includes(traceId));
  const starved = unaccounted.filter((line) => hadTooFewHeartbeats(line, lines));
  const lost = unaccounted.filter((line) => !starved.includes(line));
  return {
    tally,
    hasDisk,
    promised: promised.length,
    unpromised: events.length - promised.length,
    stored: counted.calls,
    starved: starved.length,
    quarantined: missing.length - unaccounted.length,
    lost: lost.map((line) => describeLoss(line, producers.killedAt)),
    twice: counted.twice,
    differences: counted.differences,
  };
}

function isPromised(
  { said, atMs, producer }: ProducerLogLine,
  killedAt: ReadonlyMap<string, number>,
): boolean {
  const diedMs = killedAt.get(producer);
  return said === 'acknowledged' || diedMs === undefined || atMs < diedMs - GRACE_MS;
}

function hadTooFewHeartbeats(
  { said, atMs, producer }: ProducerLogLine,
  lines: readonly ProducerLogLine[],
): boolean {
  const isBeatAfter = (line: ProducerLogLine) =>
    line.said === 'beat' && line.producer === producer && line.atMs > atMs;
  return said === 'answered' && lines.filter(isBeatAfter).length < MIN_HEARTBEATS;
}

function describeLoss(line: ProducerLogLine, killedAt: ReadonlyMap<string, number>): string {
  const { said, traceId, atMs, producer } = line;
  const diedMs = killedAt.get(producer);
  const fate = diedMs === undefined ? 'whose process ended by itself' : `${diedMs - atMs} ms before a kill`;
  return `${traceId} of ${producer}, ${said} at ${new Date(atMs).toISOString()}, ${fate}`;
}

async function auditDataDirectory(dataDirectory: string): Promise<StoreAudit> {
  const log = pino({ level: 'silent' });
  const engine = await startEngine({ dataDirectory, log });
  const { url, username, password } = engine;
  const store = createStore({ url, username, password, database: 'toolscope', log });
  try {
    return await auditStore(store);
  } finally {
    await store.close();
    await engine.stop();
  }
}

/** All of it as one text; span ids stand in it as they were sent. */
async function readQuarantine(dataDirectory: string): Promise<string> {
  const folder = join(dataDirectory, 'quarantine');
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return texts.join('\n');
}

// The kill test: producers send from several processes while they, the service and its engine are killed, stopped and let go
// on at random, and the journal's disk is filled and freed. At the end what producers were told is compared with what is there.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { startEngine } from '../../src/service/engine/engine.ts';
import { createStore } from '../../src/service/store/store.ts';
import { drained, pause, type RunningService, spoolEmptied, startService } from '../support/service.ts';
import { type JournalDisk, mountJournalDisk } from './journal-disk.ts';
import { BEAT_MS, type LedgerLine, readLedgers } from './ledger.ts';
import { Producers } from './producers.ts';
import { createRandom } from './random.ts';
import { type Recount, recount } from './recount.ts';
import { emptyTally, killsOf, type Tally, TORMENTS, type Tormented } from './torments.ts';

export interface TortureOptions {
  readonly seed: number;
  /** It goes on until both are reached. */
  readonly seconds: number;
  readonly kills: number;
  /** Told what is being done. */
  readonly say?: (sentence: string) => void;
}

export interface TortureReport {
  readonly tally: Tally;
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
const LEAST_BEATS = (0.7 * GRACE_MS) / BEAT_MS;

export async function torture(options: TortureOptions): Promise<TortureReport> {
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
    const world = { service, producers, disk, random: createRandom(options.seed) };
    const tally = await torment(world, options);
    await settle(world, stateDirectory);
    await service.halt();
    return await judge({ service, producers, ledgers, hasDisk: disk !== undefined, tally });
  } finally {
    await service.kill();
    disk?.unmount();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function torment(world: Tormented, options: TortureOptions): Promise<Tally> {
  const { producers, random } = world;
  const { seconds, kills, say = () => undefined } = options;
  for (const kind of ['otlp', 'otlp', 'mcp', 'mcp'] as const) producers.start(kind);
  const tally = emptyTally();
  const endsAt = Date.now() + seconds * 1_000;
  while (Date.now() < endsAt || killsOf(tally) < kills) {
    await pause(random.between(300, 2_500));
    await random.pick(TORMENTS)(world, tally);
    say(`${Math.max(0, Math.round((endsAt - Date.now()) / 1_000))} s left: ${formatTally(tally)}`);
  }
  return tally;
}

export function formatTally(tally: Tally): string {
  const { serviceKills, engineKills, producerKills, stops, fullDisks } = tally;
  return `killed service ${serviceKills}, engine ${engineKills}, producers ${producerKills}; stopped ${stops}; disk full ${fullDisks}`;
}

/** Everybody finishes; what the dead left on disk is taken over by a process that makes no calls; the journal runs dry. */
async function settle({ producers, service }: Tormented, stateDirectory: string): Promise<void> {
  await producers.finish();
  producers.start('mcp', { isIdle: true });
  await spoolEmptied(stateDirectory);
  await producers.finish();
  await drained(service);
}

interface Remains {
  readonly service: RunningService;
  readonly producers: Producers;
  readonly ledgers: string;
  readonly hasDisk: boolean;
  readonly tally: Tally;
}

async function judge({ service, producers, ledgers, hasDisk, tally }: Remains): Promise<TortureReport> {
  const lines = readLedgers(ledgers);
  const said = lines.filter((line) => line.said !== 'beat');
  const promised = said.filter((line) => isPromised(line, producers.killedAt));
  const counted = await recountStore(service.dataDirectory);
  const quarantine = await readQuarantine(service.dataDirectory);
  const missing = promised.filter(({ traceId }) => !counted.traceIds.has(traceId));
  const gone = missing.filter(({ traceId }) => !quarantine.includes(traceId));
  const starved = gone.filter((line) => isStarved(line, lines));
  const lost = gone.filter((line) => !starved.includes(line));
  return {
    tally,
    hasDisk,
    promised: promised.length,
    unpromised: said.length - promised.length,
    stored: counted.calls,
    starved: starved.length,
    quarantined: missing.length - gone.length,
    lost: lost.map((line) => describeLoss(line, producers.killedAt)),
    twice: counted.twice,
    differences: counted.differences,
  };
}

function isPromised({ said, atMs, producer }: LedgerLine, killedAt: ReadonlyMap<string, number>): boolean {
  const diedMs = killedAt.get(producer);
  return said === 'acknowledged' || diedMs === undefined || atMs < diedMs - GRACE_MS;
}

function isStarved({ said, atMs, producer }: LedgerLine, lines: readonly LedgerLine[]): boolean {
  const isBeatAfter = (line: LedgerLine) =>
    line.said === 'beat' && line.producer === producer && line.atMs > atMs;
  return said === 'answered' && lines.filter(isBeatAfter).length < LEAST_BEATS;
}

function describeLoss(line: LedgerLine, killedAt: ReadonlyMap<string, number>): string {
  const { said, traceId, atMs, producer } = line;
  const diedMs = killedAt.get(producer);
  const fate = diedMs === undefined ? 'whose process ended by itself' : `${diedMs - atMs} ms before a kill`;
  return `${traceId} of ${producer}, ${said} at ${new Date(atMs).toISOString()}, ${fate}`;
}

async function recountStore(dataDirectory: string): Promise<Recount> {
  const log = pino({ level: 'silent' });
  const engine = await startEngine({ dataDirectory, log });
  const { url, username, password } = engine;
  const store = createStore({ url, username, password, database: 'toolscope', log });
  try {
    return await recount(store);
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

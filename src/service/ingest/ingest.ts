// The room as the composition root sees it: opens the journal, warms the window of seen spans, ships what an earlier process
// left, takes spans, and drains. It takes spans before the store answers; only what needs a look-up has to wait for it.

import type { Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { DEFAULT_NAME_LIMITS, type NameLimits } from '../../core/model/name-limits.ts';
import type { Reduction } from '../../core/values/reduction.ts';
import { type Clock, SYSTEM_CLOCK } from '../../segments/clock.ts';
import type { BatchSink } from './batch-sink.ts';
import { BodyPreparer } from './body-preparer.ts';
import { CallReports } from './call-reports.ts';
import { type BeyondLimit, DailyNames, dayOf } from './daily-names.ts';
import { createIngestMetrics, type IngestMetrics } from './ingest-metrics.ts';
import { Intake, type StoredKey } from './intake.ts';
import { Journal } from './journal.ts';
import { type NamesFile, openNamesFile } from './names-file.ts';
import { countQuarantine, type QuarantineCap, readDropped } from './quarantine.ts';
import { createReceiver, type MayTake } from './receiver.ts';
import { Reshipper } from './reshipper.ts';
import { SeenSpans } from './seen-spans.ts';
import { Shipper } from './shipper.ts';
import { CLOCK_LEAD_MS } from './sort-spans.ts';
import { type ReadRecent, type ReadReports, warmFromJournal, warmFromStore } from './warm-up.ts';

export interface IngestOptions {
  /** Holds `journal/` and `quarantine/`; one process at a time. */
  readonly dataDirectory: string;
  readonly sink: BatchSink;
  readonly findStored: (keys: readonly StoredKey[]) => Promise<readonly StoredKey[]>;
  readonly readRecent: ReadRecent;
  /** Without it, what an earlier process took is known only as far as it waits in the journal. */
  readonly readReports?: ReadReports;
  /** As `JournalOptions` has it. */
  readonly readStoredUpTo?: (node: string) => Promise<number>;
  readonly reduction: Reduction;
  /** Key of the fingerprints in `reduction`, for a thread that prepares large bodies; without it there is no thread. */
  readonly threadKey?: Uint8Array;
  readonly retentionDays: number;
  readonly registry: Registry;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Of the quarantine; 256 MiB and 1,000 entries unless told. */
  readonly quarantineCap?: QuarantineCap;
  /** Size of the journal at which spans are refused, in bytes; 1 GiB unless told. */
  readonly journalCapBytes?: number;
  /** How many names a day may bring; the defaults unless told. */
  readonly nameLimits?: NameLimits;
  /** Whether there is room outside of the journal; there is, unless told. */
  readonly mayTake?: () => MayTake;
}

export interface Ingest {
  readonly receiver: Router;
  /** Name of this node in `ingest_node`. */
  readonly node: string;
  /** Calls that were acknowledged and cannot be asked for yet. */
  readonly pendingCalls: number;
  readonly rejectedSpans: number;
  readonly droppedByProducers: number;
  /** Kinds of names of which this day has brought more than it may, and how many values were turned into `other`. */
  readonly namesBeyondLimits: readonly BeyondLimit[];
  /** Sealed batches that wait for the store. */
  readonly pendingBatches: number;
  /** Since when the oldest acknowledged call waits, in epoch milliseconds; undefined when none does. */
  readonly oldestPendingMs: number | undefined;
  /** What lies in quarantine, refused or damaged. Rejects with the file system's error. */
  countQuarantine(): Promise<number>;
  /** Entries of the quarantine that went to make room, ever. Rejects with the file system's error. */
  countDropped(): Promise<number>;
  /**
   * Lets nothing go to the store for a while; spans are acknowledged meanwhile. Resolves once no batch is on its way, nor
   * may have arrived in part: while the store is away, that is not before it is back.
   * @returns what ends the hold; a second call does nothing, and closing the ingest ends it too
   * @throws UpstreamError NOT_READY when the ingest is closed before the hold begins
   */
  holdShipping(): Promise<() => void>;
  /**
   * Stops taking spans (503), makes what was taken durable, and ships what can be shipped.
   * @param withinMs how long shipping may take; what is left is shipped by the next process
   */
  close(withinMs?: number): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const JOURNAL_CAP_BYTES = 1024 ** 3;
const DRAIN_MS = 5_000;

/** Opens the ingest of a data directory. Rejects with the system's error when the journal cannot be opened. */
export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { clock = SYSTEM_CLOCK, log, sink, findStored } = options;
  let shipper: Shipper | undefined;
  let journal: Journal | undefined;
  const { names, namesFile } = openNames(options, clock);
  const metrics = createIngestMetrics(options.registry, {
    journal: () => journal,
    now: () => clock.now(),
    namesBeyondLimits: () => names.beyondSinceStart,
  });
  const opened = await Journal.open({
    dataDirectory: options.dataDirectory,
    capBytes: options.journalCapBytes ?? JOURNAL_CAP_BYTES,
    clock,
    onSealed: () => shipper?.wake(),
    onSealFailed: (error) => log.error({ err: error }, 'segment could not be sealed'),
    onDropped: (gone) =>
      log.error(gone, 'the quarantine was full; its oldest entries are gone: see toolscope journal'),
    ...(options.quarantineCap && { quarantineCap: options.quarantineCap }),
    ...(options.readStoredUpTo && { readStoredUpTo: options.readStoredUpTo }),
  });
  journal = opened;
  if (opened.wasBehindStore)
    log.warn(
      { node: opened.node },
      'the journal is older than the store: segments were removed, or the directory is an old copy; new calls get new numbers',
    );
  const seen = new SeenSpans((clock.now() + CLOCK_LEAD_MS) * 1000);
  const reports = new CallReports(clock);
  await warmFromJournal({ seen, reports }, opened);
  if (opened.damage.tornBytes + opened.damage.corruptedBytes > 0)
    log.warn({ damage: opened.damage }, 'journal was damaged; the damaged bytes are in quarantine');
  const { countAttempt: onAttempt, countQuarantined: onQuarantined } = metrics;
  shipper = new Shipper({ journal: opened, sink, findStored, clock, log, onAttempt, onQuarantined });
  shipper.wake();
  const reshipper = new Reshipper({ journal: opened, findStored, clock, log });
  reshipper.watch();
  reshipper.wake();
  const stopWarming = warmFromStore({ seen, reports }, { ...options, clock });
  const intake = new Intake({ journal: opened, seen, findStored, metrics, names, reports });
  return tie(
    { ...options, clock },
    {
      journal: opened,
      shipper,
      reshipper,
      intake,
      preparer: new BodyPreparer({
        ...options,
        onEnded() {
          metrics.countPreparerEnded();
          log.error('the thread that prepares large bodies has ended; another one starts');
        },
      }),
      metrics,
      stopWarming,
      names,
      namesFile,
    },
  );
}

interface Parts {
  readonly journal: Journal;
  readonly shipper: Shipper;
  readonly reshipper: Reshipper;
  readonly intake: Intake;
  readonly preparer: BodyPreparer;
  readonly metrics: IngestMetrics;
  readonly stopWarming: () => void;
  readonly names: DailyNames;
  readonly namesFile: NamesFile;
}

/** The names of this day and the day before, as far as an earlier process wrote them down. */
function openNames(
  { dataDirectory, nameLimits: limits = DEFAULT_NAME_LIMITS, log }: IngestOptions,
  clock: Clock,
): Pick<Parts, 'names' | 'namesFile'> {
  const today = dayOf(clock.now());
  const namesFile = openNamesFile(dataDirectory, today, log);
  const names = new DailyNames({
    limits,
    now: () => clock.now(),
    onName: (kept, day) => namesFile.append(kept, day),
  });
  for (const day of [today - 1, today]) for (const kept of namesFile.read(day)) names.recall(kept, day);
  return { names, namesFile };
}

function tie(
  { log, mayTake, retentionDays, clock }: IngestOptions & { readonly clock: Clock },
  { journal, shipper, reshipper, intake, preparer, metrics, stopWarming, names, namesFile }: Parts,
): Ingest {
  let closing: Promise<void> | undefined;
  async function drain(withinMs: number): Promise<void> {
    stopWarming();
    await reshipper.stop();
    await journal.close();
    await shipper.stop(withinMs);
    await preparer.close();
    await namesFile.close();
    log.info({ pendingCalls: journal.pendingCalls }, 'ingest is closed');
  }
  return {
    receiver: createReceiver({
      intake,
      prepare: (bytes, encoding) =>
        preparer.prepare({
          bytes,
          encoding,
          limits: { nowMs: clock.now(), retentionMs: retentionDays * DAY_MS },
        }),
      metrics,
      log,
      ...(mayTake && { mayTake }),
      readiness: () => (closing ? 'not_ready' : journal.isFull ? 'full' : 'ready'),
    }),
    node: journal.node,
    get pendingCalls() {
      return journal.pendingCalls;
    },
    get rejectedSpans() {
      return metrics.rejectedSpans;
    },
    get droppedByProducers() {
      return metrics.droppedByProducers;
    },
    get namesBeyondLimits() {
      return names.beyondLimits;
    },
    get pendingBatches() {
      return journal.pendingBatches;
    },
    get oldestPendingMs() {
      return journal.oldestPendingMs;
    },
    countQuarantine: () => countQuarantine(journal.quarantinePlace),
    countDropped: async () => (await readDropped(journal.quarantinePlace)).entries,
    holdShipping: () => shipper.hold(),
    close(withinMs = DRAIN_MS) {
      closing ??= drain(withinMs);
      return closing;
    },
  };
}

// Entry point of the ingest module: opens the journal, warms the deduplication windows, replays what an
// earlier process left, accepts spans, and drains. It accepts spans before the store is available; only
// lookups wait for it.

import type { Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { DEFAULT_NAME_LIMITS, type NameLimits } from '../../core/model/name-limits.ts';
import type { RedactionOptions } from '../../core/values/redact-values.ts';
import { type Clock, SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import type { BatchSink } from './batch-sink.ts';
import { BatchWriter } from './batch-writer.ts';
import { BodyPreparer } from './body-preparer.ts';
import { DailyNames, type ExceededNameLimit, toDayNumber } from './daily-names.ts';
import { createIngestMetrics, type IngestMetrics } from './ingest-metrics.ts';
import { Intake } from './intake.ts';
import { Journal } from './journal.ts';
import { type NamesFile, openNamesFile } from './names-file.ts';
import { MAX_CLOCK_SKEW_MS } from './normalise-spans.ts';
import { createOtlpReceiver, type DiskSpaceStatus } from './otlp-receiver.ts';
import { countQuarantine, type QuarantineCap, readDroppedEntries } from './quarantine.ts';
import { QuarantineReplayer } from './quarantine-replayer.ts';
import { ReportDeduplicator } from './report-deduplicator.ts';
import { SeenSpans } from './seen-spans.ts';
import type { StoredCallKey } from './stored-call-key.ts';
import {
  type ReadRecentCallKeys,
  type ReadRecentReports,
  warmUpFromJournal,
  warmUpFromStore,
} from './warm-up.ts';

export interface IngestOptions {
  /** Contains `journal/` and `quarantine/`; used by one process at a time. */
  readonly dataDirectory: string;
  readonly sink: BatchSink;
  readonly findStoredCalls: (keys: readonly StoredCallKey[]) => Promise<readonly StoredCallKey[]>;
  readonly readRecentCallKeys: ReadRecentCallKeys;
  /** Without it, only the calls of an earlier process that are still in the journal are known. */
  readonly readRecentReports?: ReadRecentReports;
  /** See `JournalOptions`. */
  readonly readMaxKnownIngestSeq?: (node: string) => Promise<number>;
  readonly redaction: RedactionOptions;
  /**
   * Fingerprint key of `redaction`, for a worker that prepares large bodies; without it there is no worker.
   */
  readonly workerFingerprintKey?: Uint8Array;
  readonly retentionDays: number;
  readonly registry: Registry;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Limits of the quarantine; default 256 MiB and 1,000 entries. */
  readonly quarantineCap?: QuarantineCap;
  /** Journal size in bytes at which spans are refused; default 1 GiB. */
  readonly journalCapBytes?: number;
  /** Names accepted per day. */
  readonly nameLimits?: NameLimits;
  /** Disk space outside the journal; assumed sufficient by default. */
  readonly checkDiskSpace?: () => DiskSpaceStatus;
}

export interface Ingest {
  readonly receiver: Router;
  /** Name of this node in `ingest_node`. */
  readonly node: string;
  /** Calls that were acknowledged but cannot be queried yet. */
  readonly pendingCalls: number;
  readonly rejectedSpans: number;
  readonly droppedByProducers: number;
  /** Kinds of names over the daily limit, and the number of values replaced by `other`. */
  readonly namesBeyondLimits: readonly ExceededNameLimit[];
  /** Sealed batches that are not stored yet. */
  readonly pendingBatches: number;
  /** When the oldest pending call was acknowledged, in epoch milliseconds; undefined if none is pending. */
  readonly oldestPendingMs: number | undefined;
  /** Number of quarantine entries, refused or damaged. Rejects with the file system's error. */
  countQuarantine(): Promise<number>;
  /** Number of quarantine entries ever removed to free space. Rejects with the file system's error. */
  countDroppedEntries(): Promise<number>;
  /**
   * Pauses writes to the store; spans are still acknowledged. Resolves once no batch is in flight or
   * partially stored, which requires the store to be available.
   *
   * @returns a function that ends the hold; calling it again has no effect, and closing the ingest ends the
   * hold too
   * @throws UpstreamError NOT_READY when the ingest is closed before the hold begins
   */
  holdWrites(): Promise<() => void>;
  /**
   * Refuses further spans (503), makes accepted ones durable, and writes pending batches.
   *
   * @param withinMs time limit for writing; the next process writes the rest
   */
  close(withinMs?: number): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const JOURNAL_CAP_BYTES = 1024 ** 3;
const DRAIN_TIMEOUT_MS = 5_000;

/** Opens the ingest of a data directory. Rejects with the system's error when the journal cannot be opened. */
export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { clock = SYSTEM_CLOCK, log, sink, findStoredCalls } = options;
  let batchWriter: BatchWriter | undefined;
  let journal: Journal | undefined;
  const { names, namesFile } = openDailyNames(options, clock);
  const metrics = createIngestMetrics(options.registry, {
    journal: () => journal,
    now: () => clock.now(),
    namesBeyondLimits: () => names.exceededSinceStart,
  });
  const opened = await Journal.open({
    dataDirectory: options.dataDirectory,
    capBytes: options.journalCapBytes ?? JOURNAL_CAP_BYTES,
    clock,
    onSealed: () => batchWriter?.wake(),
    onSealFailed: (error) => log.error({ err: error }, 'segment could not be sealed'),
    onDropped: (dropped) =>
      log.error(dropped, 'the quarantine was full; its oldest entries are gone: see toolscope journal'),
    ...(options.quarantineCap && { quarantineCap: options.quarantineCap }),
    ...(options.readMaxKnownIngestSeq && { readMaxKnownIngestSeq: options.readMaxKnownIngestSeq }),
  });
  journal = opened;
  if (opened.wasBehindStore)
    log.warn(
      { node: opened.node },
      'the journal is older than the store: segments were removed, or the directory is an old copy; new calls get new numbers',
    );
  const seen = new SeenSpans((clock.now() + MAX_CLOCK_SKEW_MS) * 1000);
  const reports = new ReportDeduplicator(clock);
  await warmUpFromJournal({ seen, reports }, opened);
  if (opened.damage.tornBytes + opened.damage.corruptedBytes > 0)
    log.warn({ damage: opened.damage }, 'journal was damaged; the damaged bytes are in quarantine');
  const { countAttempt: onAttempt, countQuarantined: onQuarantined } = metrics;
  batchWriter = new BatchWriter({
    journal: opened,
    sink,
    findStoredCalls,
    clock,
    log,
    onAttempt,
    onQuarantined,
  });
  batchWriter.wake();
  const quarantineReplayer = new QuarantineReplayer({ journal: opened, findStoredCalls, clock, log });
  quarantineReplayer.watch();
  quarantineReplayer.wake();
  const stopWarmUp = warmUpFromStore({ seen, reports }, { ...options, clock });
  const intake = new Intake({ journal: opened, seen, findStoredCalls, metrics, names, reports });
  return assembleIngest(
    { ...options, clock },
    {
      journal: opened,
      batchWriter,
      quarantineReplayer,
      intake,
      preparer: new BodyPreparer({
        ...options,
        onWorkerExit() {
          metrics.countPreparerEnded();
          log.error('the thread that prepares large bodies has ended; another one starts');
        },
      }),
      metrics,
      stopWarmUp,
      names,
      namesFile,
    },
  );
}

interface IngestParts {
  readonly journal: Journal;
  readonly batchWriter: BatchWriter;
  readonly quarantineReplayer: QuarantineReplayer;
  readonly intake: Intake;
  readonly preparer: BodyPreparer;
  readonly metrics: IngestMetrics;
  readonly stopWarmUp: () => void;
  readonly names: DailyNames;
  readonly namesFile: NamesFile;
}

/** Loads the names of today and the previous day from the names file. */
function openDailyNames(
  { dataDirectory, nameLimits: limits = DEFAULT_NAME_LIMITS, log }: IngestOptions,
  clock: Clock,
): Pick<IngestParts, 'names' | 'namesFile'> {
  const today = toDayNumber(clock.now());
  const namesFile = openNamesFile(dataDirectory, today, log);
  const names = new DailyNames({
    limits,
    now: () => clock.now(),
    onName: (record, day) => namesFile.append(record, day),
  });
  for (const day of [today - 1, today]) for (const record of namesFile.read(day)) names.load(record, day);
  return { names, namesFile };
}

function assembleIngest(
  { log, checkDiskSpace, retentionDays, clock }: IngestOptions & { readonly clock: Clock },
  {
    journal,
    batchWriter,
    quarantineReplayer,
    intake,
    preparer,
    metrics,
    stopWarmUp,
    names,
    namesFile,
  }: IngestParts,
): Ingest {
  let closing: Promise<void> | undefined;
  async function drain(withinMs: number): Promise<void> {
    stopWarmUp();
    await quarantineReplayer.stop();
    await journal.close();
    await batchWriter.stop(withinMs);
    await preparer.close();
    await namesFile.close();
    log.info({ pendingCalls: journal.pendingCalls }, 'ingest is closed');
  }
  return {
    receiver: createOtlpReceiver({
      intake,
      prepare: (bytes, encoding) =>
        preparer.prepare({
          bytes,
          encoding,
          limits: { nowMs: clock.now(), retentionMs: retentionDays * DAY_MS },
        }),
      metrics,
      log,
      ...(checkDiskSpace && { checkDiskSpace }),
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
      return names.exceededLimits;
    },
    get pendingBatches() {
      return journal.pendingBatches;
    },
    get oldestPendingMs() {
      return journal.oldestPendingMs;
    },
    countQuarantine: () => countQuarantine(journal.quarantineLocation),
    countDroppedEntries: async () => (await readDroppedEntries(journal.quarantineLocation)).entries,
    holdWrites: () => batchWriter.hold(),
    close(withinMs = DRAIN_TIMEOUT_MS) {
      closing ??= drain(withinMs);
      return closing;
    },
  };
}

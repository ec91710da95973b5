// The journal: acknowledged entries that are not in the store yet. One sealed segment is one batch: its bytes
// are fixed and its token derives from the node and the segment number, so a retry after a crash sends the
// same data. It holds redacted rows, never the wire format. Rows that cannot be stored are moved to the
// quarantine, durably there before they are removed here.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import type { Clock } from '../../segment-log/clock.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import type { Damage, SealedSegment } from '../../segment-log/segment-directory.ts';
import { type AppendResult, openSegmentLog, type SegmentLog } from '../../segment-log/segment-log.ts';
import type { RefusedRows, SealedBatch } from './batch-sink.ts';
import { readIngestNode } from './ingest-node.ts';
import type { JournalEntry } from './journal-record.ts';
import {
  decodeJournalRecord,
  type EncodedRecord,
  encodeEntries,
  encodeReplay,
  joinSections,
  type RecordSection,
  readReplayedEntryId,
} from './journal-record.ts';
import { PendingCalls } from './pending-calls.ts';
import {
  type DroppedEntries,
  findLastQuarantinedSegment,
  type QuarantineCap,
  type QuarantineLocation,
  quarantineDamagedBytes,
  quarantineRefusedRows,
  removeOldestEntries,
  removeQuarantineEntry,
  type TableLines,
  toQuarantineEntryId,
} from './quarantine.ts';
import { type IngestPosition, readIngestedAt } from './row-position.ts';
import { SequenceRecord } from './sequence-record.ts';
import { SplitRecords } from './split-records.ts';

export interface JournalBatch extends SealedBatch {
  readonly segment: SealedSegment;
  readonly calls: number;
  /** Sequence number of its last call, or a higher one that no call has. */
  readonly lastSequence: number;
  /** Quarantine entries of some of its rows; they must be deleted before the batch is. */
  readonly replayed: readonly string[];
  /** Whether its calls may be in the store although the store no longer knows its token. */
  readonly mayBeStored: boolean;
}

/** Entries of one request may differ in result if the journal fills up in between. */
export interface AppendedEntries<E extends JournalEntry> {
  readonly entries: readonly E[];
  readonly result: AppendResult;
}

export interface JournalOptions {
  /** The service's data directory. */
  readonly dataDirectory: string;
  readonly capBytes: number;
  readonly clock: Clock;
  /** Called when a batch is ready. MUST NOT throw. */
  readonly onSealed: () => void;
  /** MUST NOT throw. */
  readonly onSealFailed: (error: unknown) => void;
  readonly fileSystem?: FileSystem;
  /**
   * @returns the highest position of that node in the store, 0 if none; rejects when unavailable. Without it
   * the journal is assumed to be up to date with the store.
   */
  readonly readMaxKnownIngestSeq?: (node: string) => Promise<number>;
  /** Limits of the quarantine; default 256 MiB and 1,000 entries. */
  readonly quarantineCap?: QuarantineCap;
  /** Called after the oldest quarantine entries were removed to free space. MUST NOT throw. */
  readonly onDropped?: (dropped: DroppedEntries) => void;
}

/** A batch stays well below the engine's block size; a request with many spans is split. */
const ROWS_PER_BATCH = 10_000;
const ROWS_PER_RECORD = 2_000;
const BYTES_PER_BATCH = 16 * 1024 * 1024;
/** Several whole batches, or a thousand with one bad row each; by then an operator has to intervene. */
const QUARANTINE_CAP: QuarantineCap = { bytes: 256 * 1024 * 1024, entries: 1_000 };
/** Maximum time a call waits for others before its batch is sealed. */
const SEAL_AFTER_MS = 500;

export class Journal {
  readonly node: string;
  /** Location of the quarantine. */
  readonly quarantineLocation: QuarantineLocation;
  readonly #log: SegmentLog;
  readonly #clock: Clock;
  readonly #options: JournalOptions;
  readonly #splits: SplitRecords;
  readonly #sequences: SequenceRecord;
  /** Segments below this number predate the store's data of this node. */
  readonly #maybeStoredBelow: number;
  readonly #pending = new PendingCalls();
  readonly #refused = { full: 0, disk: 0 };
  readonly #replayed = new Set<string>();
  /** Size at which appends are refused. */
  readonly capBytes: number;

  private constructor(
    node: string,
    location: QuarantineLocation,
    { log, splits, options, ...parts }: JournalParts,
  ) {
    this.node = node;
    this.quarantineLocation = location;
    this.#log = log;
    this.#splits = splits;
    this.#sequences = parts.sequences;
    this.#maybeStoredBelow = parts.maybeStoredBelow;
    this.#clock = options.clock;
    this.#options = options;
    this.capBytes = options.capBytes;
  }

  /**
   * Opens the journal of a data directory, including segments of an earlier process. Rejects with the
   * system's error.
   */
  static async open(options: JournalOptions): Promise<Journal> {
    const { capBytes, clock, onSealed, onSealFailed, fileSystem = NODE_FILE_SYSTEM } = options;
    const directory = join(options.dataDirectory, 'journal');
    const location = { directory: join(options.dataDirectory, 'quarantine'), fileSystem };
    await fileSystem.makeDirectory(location.directory);
    const node = await readIngestNode(directory, fileSystem);
    const sequences = await SequenceRecord.open(directory, fileSystem);
    const maxKnownIngestSeq = (await options.readMaxKnownIngestSeq?.(node)) ?? 0;
    const log = await openSegmentLog({
      directory,
      capBytes,
      sealAtCount: ROWS_PER_BATCH,
      sealAtBytes: BYTES_PER_BATCH,
      sealAfterMs: SEAL_AFTER_MS,
      onSealed,
      onSealFailed,
      async onDamage(piece) {
        await quarantineDamagedBytes(location, { node, at: formatNow(clock) }, piece);
        await enforceQuarantineCap(location, options);
      },
      firstSequence: Math.max(
        sequences.reserved,
        maxKnownIngestSeq + 1,
        (await findLastQuarantinedSegment(location, node)) + 1,
      ),
      reserve: (next) => sequences.reserve(next),
      clock,
      fileSystem,
    });
    sequences.begin(log.nextSequence, log.oldestSequence);
    const maybeStoredBelow = maxKnownIngestSeq >= log.recoveredSequence ? log.nextSequence : 0;
    const splits = await SplitRecords.open(directory, fileSystem, log.sealed);
    return new Journal(node, location, { log, splits, sequences, maybeStoredBelow, options });
  }

  /**
   * Whether the store was ahead of the journal: segments were removed, or an old copy of the directory was
   * restored.
   */
  get wasBehindStore(): boolean {
    return this.#maybeStoredBelow > 0;
  }

  /** Acknowledged calls that are not known to be stored. */
  get pendingCalls(): number {
    return this.#pending.calls;
  }

  /** When the oldest pending call was accepted, in epoch milliseconds; undefined if none is pending. */
  get oldestPendingMs(): number | undefined {
    return this.#pending.oldestMs;
  }

  /** Sealed segments that are not stored yet. */
  get pendingBatches(): number {
    return this.#log.sealed.length;
  }

  /** Refused appends since the journal was opened, by the limit that was reached. */
  get refused(): { readonly full: number; readonly disk: number } {
    return this.#refused;
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  get damage(): Damage {
    return this.#log.damage;
  }

  /** Whether even a small record would be refused. */
  get isFull(): boolean {
    return this.#log.isFullFor(4096);
  }

  /** Whether everything up to that position has left the journal. */
  isCommitted(sequence: number): boolean {
    return sequence < this.#log.oldestSequence;
  }

  /** Whether the journal still holds that segment. */
  hasSegment(segment: number): boolean {
    return segment >= this.#log.oldestSequence;
  }

  /** Appends entries in order; resolves when each is durable or refused, and never rejects. */
  async append<E extends JournalEntry>(entries: readonly E[]): Promise<AppendedEntries<E>[]> {
    const ingestedAt = formatNow(this.#clock);
    const parts: Promise<AppendedEntries<E>>[] = [];
    for (let from = 0; from < entries.length; from += ROWS_PER_RECORD) {
      // Yields to other work between the parts of a large request.
      if (from > 0) await nextTurn();
      parts.push(this.#appendPart(entries.slice(from, from + ROWS_PER_RECORD), ingestedAt));
    }
    return Promise.all(parts);
  }

  async #appendPart<E extends JournalEntry>(
    entries: readonly E[],
    ingestedAt: string,
  ): Promise<AppendedEntries<E>> {
    // The positions are valid because nothing is awaited between reading the first and appending.
    const encoded = encodeEntries(entries, this.#nextPosition(ingestedAt));
    const result = encoded.payload.length === 0 ? NOTHING_TO_WRITE : await this.#append(encoded);
    return { entries, result };
  }

  #nextPosition(ingestedAt: string): IngestPosition {
    return { ingestNode: this.node, ingestSeq: this.#log.nextSequence, ingestedAt };
  }

  async #append({ payload, calls }: EncodedRecord): Promise<AppendResult> {
    const atMs = this.#clock.now();
    const result = await this.#log.append(payload, Math.max(1, calls));
    if (result.status === 'appended') this.#pending.add(result.segment, calls, atMs);
    else if (result.status === 'full') this.#refused.full++;
    else if (result.status === 'failed') this.#refused.disk++;
    return result;
  }

  /**
   * Appends quarantined rows at new positions and removes their entry. `readPending` repairs a crash in
   * between at the next start. Rejects when the entry cannot be removed; the next call only retries that.
   */
  async replay(entryId: string, parts: readonly TableLines[]): Promise<AppendResult['status']> {
    if (!this.#replayed.has(entryId)) {
      const first = this.#nextPosition(formatNow(this.#clock));
      const result = await this.#append(encodeReplay(entryId, parts, first));
      if (result.status !== 'appended') return result.status;
      // The rows are in the journal even if the entry cannot be removed yet.
      this.#replayed.add(entryId);
    }
    await removeQuarantineEntry(this.quarantineLocation, entryId);
    this.#replayed.delete(entryId);
    return 'appended';
  }

  /**
   * Reads the segments of an earlier process, once, before any batch is read.
   *
   * @returns the sections of all sealed segments, oldest first, each with the position of its record
   */
  async *readPending(): AsyncGenerator<RecordSection & { readonly sequence: number }> {
    for (const segment of this.#log.sealed) {
      for (const { sequence, payload } of await this.#log.read(segment)) {
        const replayed = readReplayedEntryId(payload);
        if (replayed !== undefined) await removeQuarantineEntry(this.quarantineLocation, replayed);
        for (const section of decodeJournalRecord(payload)) {
          if (section.table === 'calls')
            this.#pending.add(
              segment.base,
              section.rowCount,
              readIngestedAt(section.rows) ?? this.#clock.now(),
            );
          yield { ...section, sequence };
        }
      }
    }
  }

  get hasBatch(): boolean {
    return this.#log.sealed.length > 0;
  }

  /** The oldest batch, or undefined when there is none. Rejects when its file cannot be read. */
  async readOldestBatch(): Promise<JournalBatch | undefined> {
    const [segment] = this.#log.sealed;
    if (!segment) return undefined;
    const records = await this.#log.read(segment);
    const tables = joinSections(records.flatMap(({ payload }) => decodeJournalRecord(payload)));
    const calls = tables.find(({ table }) => table === 'calls')?.rowCount ?? 0;
    const lastSequence = records.reduce((_, { sequence, count }) => sequence + count - 1, 0);
    const replayed = records.flatMap(({ payload }) => readReplayedEntryId(payload) ?? []);
    const splits = this.#splits.of(segment.base);
    const mayBeStored = segment.base < this.#maybeStoredBelow;
    return {
      segment,
      token: this.#tokenOf(segment),
      tables,
      calls,
      lastSequence,
      replayed,
      mayBeStored,
      splits,
    };
  }

  /** Includes the run: two copies of one directory give different batches the same number. */
  #tokenOf({ base }: SealedSegment): string {
    const name = [this.node, this.#sequences.runOf(base), base].filter((part) => part !== '').join('/');
    return createHash('sha256').update(name).digest('hex').slice(0, 32);
  }

  /** Removes a stored batch. Rejects with the system's error. */
  async drop(batch: JournalBatch): Promise<void> {
    // An attempt interrupted by a crash may have quarantined rows that are stored now.
    await removeQuarantineEntry(this.quarantineLocation, toQuarantineEntryId(this.node, batch.segment.base));
    await this.#removeBatch(batch);
  }

  /**
   * Quarantines rows that the store refuses, and removes the batch. Rejects with the system's error.
   *
   * @returns the number of rows, and the id of their entry
   */
  async quarantine(
    batch: JournalBatch,
    refused: readonly RefusedRows[],
  ): Promise<{ readonly id: string; readonly rows: number }> {
    const origin = { node: this.node, segment: batch.segment.base, at: formatNow(this.#clock) };
    const kept = await quarantineRefusedRows(this.quarantineLocation, origin, refused);
    await this.#removeBatch(batch);
    await enforceQuarantineCap(this.quarantineLocation, this.#options);
    return kept;
  }

  async #removeBatch({ segment, replayed }: JournalBatch): Promise<void> {
    for (const id of replayed) await removeQuarantineEntry(this.quarantineLocation, id);
    try {
      await this.#log.drop(segment);
    } finally {
      // Also if only the directory sync failed: a segment that reappears is resent under its token.
      if (!this.#log.sealed.some(({ base }) => base === segment.base)) {
        this.#pending.settle(segment.base);
        await this.#splits.forget(segment.base);
      }
    }
  }

  /** Seals the durable records as a batch. */
  seal(): Promise<void> {
    return this.#log.seal();
  }

  /** Refuses further entries and seals the current ones. */
  async close(): Promise<void> {
    await this.#log.close();
    // Unused numbers are skipped by the next process, as after a crash.
    await this.#sequences.settle(this.#log.nextSequence).catch(() => undefined);
  }
}

interface JournalParts {
  readonly log: SegmentLog;
  readonly sequences: SequenceRecord;
  readonly maybeStoredBelow: number;
  readonly splits: SplitRecords;
  readonly options: JournalOptions;
}

const NOTHING_TO_WRITE: AppendResult = { status: 'appended', sequence: 0, segment: 0 };

async function enforceQuarantineCap(
  location: QuarantineLocation,
  { quarantineCap = QUARANTINE_CAP, onDropped }: JournalOptions,
): Promise<void> {
  const dropped = await removeOldestEntries(location, quarantineCap);
  if (dropped.entries > 0) onDropped?.(dropped);
}

function formatNow(clock: Clock): string {
  return formatDateTime64(clock.now() * 1000);
}

// What was acknowledged and is not yet in the store. One sealed segment is one batch: its bytes are fixed, its token
// follows from the node and the segment's number, so a retry after any crash sends what was sent before. It holds reduced
// rows, never what came over the wire. What cannot be sent leaves it for the quarantine, durably there before it goes here.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../segment-log/clock.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import type { Damage, SealedSegment } from '../../segment-log/segment-directory.ts';
import { type AppendResult, openSegmentLog, type SegmentLog } from '../../segment-log/segment-log.ts';
import type { RefusedRows, SealedBatch } from './batch-sink.ts';
import { type EncodedRecord, encodeEntries, encodeReplay } from './encode-entries.ts';
import { readIngestNode } from './ingest-node.ts';
import type { JournalEntry } from './journal-entry.ts';
import {
  decodeJournalRecord,
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
import { readIngestedAt } from './renumber-row.ts';
import { formatInstant, type IngestPosition } from './rows.ts';
import { SequenceRecord } from './sequence-record.ts';
import { SplitRecords } from './split-records.ts';

export interface JournalBatch extends SealedBatch {
  readonly segment: SealedSegment;
  readonly calls: number;
  /** Quarantine entries that some of its rows come from; they have to be gone before it is. */
  readonly replayed: readonly string[];
  /** Whether its calls may be in the store although its token is no longer known there. */
  readonly mayBeStored: boolean;
}

/** Those of one request may fare differently when the journal fills up in between. */
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
   * @returns the highest position of that node that the store knows, 0 when it knows none; rejects when it cannot tell.
   * Without it the journal is believed to be as new as the store.
   */
  readonly readMaxKnownIngestSeq?: (node: string) => Promise<number>;
  /** Of the quarantine; 256 MiB and 1,000 entries unless told. */
  readonly quarantineCap?: QuarantineCap;
  /** Called after the oldest of the quarantine went to make room. MUST NOT throw. */
  readonly onDropped?: (dropped: DroppedEntries) => void;
}

/** A batch stays well below what the engine holds as one block, and a request of many spans is spread over several. */
const ROWS_PER_BATCH = 10_000;
const ROWS_PER_RECORD = 2_000;
const BYTES_PER_BATCH = 16 * 1024 * 1024;
/** Some batches refused in whole, or a thousand with a bad row each; then somebody has to look. */
const QUARANTINE_CAP: QuarantineCap = { bytes: 256 * 1024 * 1024, entries: 1_000 };
/** How long a lone call waits for company before it is sent on. */
const SEAL_AFTER_MS = 500;

export class Journal {
  readonly node: string;
  /** Where what cannot be sent lies. */
  readonly quarantineLocation: QuarantineLocation;
  readonly #log: SegmentLog;
  readonly #clock: Clock;
  readonly #options: JournalOptions;
  readonly #splits: SplitRecords;
  readonly #sequences: SequenceRecord;
  /** Segments below it are older than what the store has of this node. */
  readonly #maybeStoredBelow: number;
  readonly #pending = new PendingCalls();
  readonly #refused = { full: 0, disk: 0 };
  readonly #replayed = new Set<string>();
  /** Size at which nothing more is taken. */
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

  /** Opens the journal of a data directory, with what an earlier process left. Rejects with the system's error. */
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
   * Whether the store had more of this node than the journal knew of: segments were removed, or an old copy of the directory was
   * put back.
   */
  get wasBehindStore(): boolean {
    return this.#maybeStoredBelow > 0;
  }

  /** Calls that were acknowledged and are not known to be in the store. */
  get pendingCalls(): number {
    return this.#pending.calls;
  }

  /** When the oldest of them was taken, in epoch milliseconds; undefined when there are none. */
  get oldestPendingMs(): number | undefined {
    return this.#pending.oldestMs;
  }

  /** Sealed segments that wait for the store. */
  get pendingBatches(): number {
    return this.#log.sealed.length;
  }

  /** Appends that were refused since the journal was opened, by what had no room. */
  get refused(): { readonly full: number; readonly disk: number } {
    return this.#refused;
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  get damage(): Damage {
    return this.#log.damage;
  }

  /** Whether not even a small record would be taken. */
  get isFull(): boolean {
    return this.#log.isFullFor(4096);
  }

  /** Whether everything up to that position has left the journal. */
  isCommitted(sequence: number): boolean {
    return sequence < this.#log.oldestSequence;
  }

  /** Whether the journal holds that segment still. */
  hasSegment(segment: number): boolean {
    return segment >= this.#log.oldestSequence;
  }

  /** Writes entries in their order; resolves when each is durable or refused, and never rejects. */
  async append<E extends JournalEntry>(entries: readonly E[]): Promise<AppendedEntries<E>[]> {
    const ingestedAt = formatNow(this.#clock);
    const parts: Promise<AppendedEntries<E>>[] = [];
    for (let from = 0; from < entries.length; from += ROWS_PER_RECORD) {
      // Others are answered between the parts of a large request.
      if (from > 0) await nextTurn();
      parts.push(this.#appendPart(entries.slice(from, from + ROWS_PER_RECORD), ingestedAt));
    }
    return Promise.all(parts);
  }

  async #appendPart<E extends JournalEntry>(
    entries: readonly E[],
    ingestedAt: string,
  ): Promise<AppendedEntries<E>> {
    // The positions in the rows hold because nothing is awaited between reading the first and appending.
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
   * Takes rows back that were in quarantine, at new positions, and removes their entry. A crash in between is made good at
   * the next opening, by `readPending`. Rejects when the entry cannot be removed; the next call does only that.
   */
  async replay(entryId: string, parts: readonly TableLines[]): Promise<AppendResult['status']> {
    if (!this.#replayed.has(entryId)) {
      const first = this.#nextPosition(formatNow(this.#clock));
      const result = await this.#append(encodeReplay(entryId, parts, first));
      if (result.status !== 'appended') return result.status;
      // Its rows are in the journal now, also when the entry cannot be removed yet.
      this.#replayed.add(entryId);
    }
    await removeQuarantineEntry(this.quarantineLocation, entryId);
    this.#replayed.delete(entryId);
    return 'appended';
  }

  /**
   * Reads what an earlier process left, once, before anything is taken from the journal.
   * @returns the sections of all sealed segments, oldest first, each with the position where its record begins
   */
  async *readPending(): AsyncGenerator<RecordSection & { readonly sequence: number }> {
    for (const segment of this.#log.sealed) {
      for (const { sequence, payload } of await this.#log.read(segment)) {
        const replayed = readReplayedEntryId(payload);
        if (replayed !== undefined) await removeQuarantineEntry(this.quarantineLocation, replayed);
        for (const section of decodeJournalRecord(payload)) {
          if (section.table === 'calls')
            this.#pending.add(segment.base, section.rowCount, readIngestedAt(section) ?? this.#clock.now());
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
    const replayed = records.flatMap(({ payload }) => readReplayedEntryId(payload) ?? []);
    const splits = this.#splits.of(segment.base);
    const mayBeStored = segment.base < this.#maybeStoredBelow;
    return { segment, token: this.#tokenOf(segment), tables, calls, replayed, mayBeStored, splits };
  }

  /** Of the run too: two copies of one directory number different batches alike. */
  #tokenOf({ base }: SealedSegment): string {
    const name = [this.node, this.#sequences.runOf(base), base].filter((part) => part !== '').join('/');
    return createHash('sha256').update(name).digest('hex').slice(0, 32);
  }

  /** Forgets a batch that is stored. Rejects with the system's error. */
  async drop(batch: JournalBatch): Promise<void> {
    // An attempt that a crash cut short may have put rows aside that the store took now.
    await removeQuarantineEntry(this.quarantineLocation, toQuarantineEntryId(this.node, batch.segment.base));
    await this.#removeBatch(batch);
  }

  /**
   * Puts rows aside that the store will not take, and forgets the rest of the batch. Rejects with the system's error.
   * @returns how many rows, and the id of their entry
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
      // Also when only its directory could not be synced: a segment that comes back is sent again under its token.
      if (!this.#log.sealed.some(({ base }) => base === segment.base)) {
        this.#pending.settle(segment.base);
        await this.#splits.forget(segment.base);
      }
    }
  }

  /** Makes a batch of what is durable by now. */
  seal(): Promise<void> {
    return this.#log.seal();
  }

  /** Takes nothing more and seals what was taken. */
  async close(): Promise<void> {
    await this.#log.close();
    // What is not written is skipped by the next process, as after a crash.
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
  return formatInstant(clock.now() * 1000);
}

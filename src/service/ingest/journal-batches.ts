// The batches of the journal. One sealed segment is one batch: its bytes are fixed and its token derives from
// the node and the segment number, so a retry after a crash sends the same data. Rows that cannot be stored are
// durably in quarantine before they are removed here.

import { createHash } from 'node:crypto';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import type { Clock } from '../../segment-log/clock.ts';
import type { SealedSegment } from '../../segment-log/segment-directory.ts';
import type { SegmentLog } from '../../segment-log/segment-log.ts';
import type { RefusedRows, SealedBatch } from './batch-sink.ts';
import { decodeJournalRecord, joinSections, readReplayedEntryId, type TableRows } from './journal-record.ts';
import type { PendingCalls } from './pending-calls.ts';
import {
  type QuarantineLocation,
  quarantineRefusedRows,
  removeQuarantineEntry,
  toQuarantineEntryId,
} from './quarantine.ts';
import { enforceQuarantineCap, type QuarantineCapOptions } from './quarantine-cap.ts';
import type { SequenceRecord } from './sequence-record.ts';
import type { SplitRecords } from './split-records.ts';

export interface JournalBatch extends SealedBatch<TableRows> {
  readonly segment: SealedSegment;
  readonly calls: number;
  /** Sequence number of its last call, or a higher one that no call has. */
  readonly lastSequence: number;
  /** Quarantine entries of some of its rows; they must be deleted before the batch is. */
  readonly replayed: readonly string[];
  /** Whether its calls may be in the store although the store no longer knows its token. */
  readonly mayBeStored: boolean;
}

export interface JournalBatchesOptions extends QuarantineCapOptions {
  readonly node: string;
  readonly log: SegmentLog;
  readonly sequences: SequenceRecord;
  readonly splits: SplitRecords;
  /** Segments below this number predate the store's data of this node. */
  readonly maybeStoredBelow: number;
  readonly pending: PendingCalls;
  readonly quarantineLocation: QuarantineLocation;
  readonly clock: Clock;
}

export class JournalBatches {
  readonly #options: JournalBatchesOptions;

  constructor(options: JournalBatchesOptions) {
    this.#options = options;
  }

  /** Number of batches that are not stored yet. */
  get count(): number {
    return this.#options.log.sealed.length;
  }

  /** Whether the journal still holds that segment. */
  hasSegment(segment: number): boolean {
    return segment >= this.#options.log.oldestSequence;
  }

  /** The oldest batch, or undefined when there is none. Rejects when its file cannot be read. */
  async readOldest(): Promise<JournalBatch | undefined> {
    const { log, splits, maybeStoredBelow } = this.#options;
    const [segment] = log.sealed;
    if (!segment) return undefined;
    const records = await log.read(segment);
    const tables = joinSections(records.flatMap(({ payload }) => decodeJournalRecord(payload)));
    const last = records.at(-1);
    return {
      segment,
      token: this.#tokenOf(segment),
      tables,
      splits: splits.of(segment.base),
      calls: tables.find(({ table }) => table === 'calls')?.rowCount ?? 0,
      lastSequence: last ? last.sequence + last.count - 1 : 0,
      replayed: records.flatMap(({ payload }) => readReplayedEntryId(payload) ?? []),
      mayBeStored: segment.base < maybeStoredBelow,
    };
  }

  /** Includes the run: two copies of one directory give different batches the same number. */
  #tokenOf({ base }: SealedSegment): string {
    const { node, sequences } = this.#options;
    const name = [node, sequences.runOf(base), base].filter((part) => part !== '').join('/');
    return createHash('sha256').update(name).digest('hex').slice(0, 32);
  }

  /** Removes a stored batch. Rejects with the system's error. */
  async drop(batch: JournalBatch): Promise<void> {
    const { node, quarantineLocation } = this.#options;
    // An attempt interrupted by a crash may have quarantined rows that are stored now.
    await removeQuarantineEntry(quarantineLocation, toQuarantineEntryId(node, batch.segment.base));
    await this.#remove(batch);
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
    const { node, quarantineLocation, clock } = this.#options;
    const origin = { node, segment: batch.segment.base, at: formatDateTime64(clock.now() * 1000) };
    const entry = await quarantineRefusedRows(quarantineLocation, origin, refused);
    await this.#remove(batch);
    await enforceQuarantineCap(quarantineLocation, this.#options);
    return entry;
  }

  async #remove({ segment, replayed }: JournalBatch): Promise<void> {
    const { log, pending, splits, quarantineLocation } = this.#options;
    for (const id of replayed) await removeQuarantineEntry(quarantineLocation, id);
    try {
      await log.drop(segment);
    } finally {
      // Also if only the directory sync failed: a segment that reappears is resent under its token.
      if (!log.sealed.some(({ base }) => base === segment.base)) {
        pending.settle(segment.base);
        await splits.forget(segment.base);
      }
    }
  }
}

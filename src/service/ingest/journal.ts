// What was acknowledged and is not yet in the store. One sealed segment is one batch: its bytes are fixed, its token
// follows from the node and the segment's number, so a retry after any crash sends what was sent before. It holds reduced
// rows, never what came over the wire. A batch over very many days' partitions is sent as it is.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { CatalogueListing } from '../../core/model/catalogue.ts';
import type { CallPayload, ToolCall } from '../../core/model/tool-call.ts';
import type { Clock } from '../../segments/clock.ts';
import { writeDurableFile } from '../../segments/durable-file.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from '../../segments/file-system.ts';
import type { Damage, SealedSegment } from '../../segments/open-directory.ts';
import { type AppendResult, openSegmentLog, type SegmentLog } from '../../segments/segment-log.ts';
import type { RefusedRows, SealedBatch } from './batch-sink.ts';
import { readIngestNode } from './ingest-node.ts';
import { decodeJournalRecord, encodeJournalRecord, joinSections, type Section } from './journal-record.ts';
import { formatInstant, toCallRow, toListingRows, toPayloadRow } from './rows.ts';

/** What one accepted span leaves: a call with what belongs to it, or the listing of a server that started. */
export interface Entry {
  readonly traceId: string;
  readonly spanId: string;
  readonly call?: ToolCall;
  readonly payload?: CallPayload;
  readonly listing?: CatalogueListing;
}

export interface Batch extends SealedBatch {
  readonly segment: SealedSegment;
  readonly calls: number;
}

/** How some entries fared; those of one request may fare differently when the journal fills up in between. */
export interface Appended<E extends Entry> {
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
}

/** A batch stays well below what the engine holds as one block, and a request of many spans is spread over several. */
const ROWS_PER_BATCH = 10_000;
const ROWS_PER_RECORD = 2_000;
const BYTES_PER_BATCH = 16 * 1024 * 1024;
/** How long a lone call waits for company before it is sent on. */
const SEAL_AFTER_MS = 500;

export class Journal {
  readonly node: string;
  readonly #log: SegmentLog;
  readonly #clock: Clock;
  readonly #fileSystem: FileSystem;
  readonly #quarantine: string;
  #pendingCalls = 0;

  private constructor(node: string, log: SegmentLog, options: JournalOptions) {
    this.node = node;
    this.#log = log;
    this.#clock = options.clock;
    this.#fileSystem = options.fileSystem ?? NODE_FILE_SYSTEM;
    this.#quarantine = join(options.dataDirectory, 'quarantine');
  }

  /** Opens the journal of a data directory, with what an earlier process left. Rejects with the system's error. */
  static async open(options: JournalOptions): Promise<Journal> {
    const directory = join(options.dataDirectory, 'journal');
    const fileSystem = options.fileSystem ?? NODE_FILE_SYSTEM;
    const node = await readIngestNode(directory, fileSystem);
    const { capBytes, clock, onSealed, onSealFailed } = options;
    const log = await openSegmentLog({
      directory,
      capBytes,
      sealAtCount: ROWS_PER_BATCH,
      sealAtBytes: BYTES_PER_BATCH,
      sealAfterMs: SEAL_AFTER_MS,
      onSealed,
      onSealFailed,
      clock,
      fileSystem,
    });
    return new Journal(node, log, options);
  }

  /** Calls that were acknowledged and are not known to be in the store. */
  get pendingCalls(): number {
    return this.#pendingCalls;
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
  hasShipped(sequence: number): boolean {
    return sequence < this.#log.oldestSequence;
  }

  /** Writes entries in their order; resolves when each is durable or refused, and never rejects. */
  append<E extends Entry>(entries: readonly E[]): Promise<Appended<E>[]> {
    const ingestedAt = formatInstant(this.#clock.now() * 1000);
    const parts: Promise<Appended<E>>[] = [];
    for (let from = 0; from < entries.length; from += ROWS_PER_RECORD)
      parts.push(this.#appendPart(entries.slice(from, from + ROWS_PER_RECORD), ingestedAt));
    return Promise.all(parts);
  }

  async #appendPart<E extends Entry>(entries: readonly E[], ingestedAt: string): Promise<Appended<E>> {
    const { payload, calls } = this.#encode(entries, ingestedAt);
    if (payload.length === 0) return { entries, result: { status: 'appended', sequence: 0 } };
    // The position in the rows holds because nothing is awaited between reading it and this.
    const result = await this.#log.append(payload, Math.max(1, calls));
    if (result.status === 'appended') this.#pendingCalls += calls;
    return { entries, result };
  }

  #encode(entries: readonly Entry[], ingestedAt: string): { payload: Buffer; calls: number } {
    const calls: string[] = [];
    const payloads: string[] = [];
    const tool_listings: string[] = [];
    const first = this.#log.nextSequence;
    for (const entry of entries) {
      const { call, payload, listing } = entry;
      const position = { ingestNode: this.node, ingestSeq: first + calls.length, ingestedAt };
      if (call) calls.push(toCallRow(call, position));
      if (call && payload) payloads.push(toPayloadRow(call, payload));
      if (listing) tool_listings.push(...toListingRows(listing, entry));
    }
    return { payload: encodeJournalRecord({ calls, payloads, tool_listings }), calls: calls.length };
  }

  /**
   * Reads what an earlier process left, once, before anything is taken from the journal.
   * @returns the sections of all sealed segments, oldest first, each with the position where its record begins
   */
  async *readTail(): AsyncGenerator<Section & { readonly sequence: number }> {
    for (const segment of this.#log.sealed) {
      for (const { sequence, payload } of await this.#log.read(segment)) {
        for (const section of decodeJournalRecord(payload)) {
          if (section.table === 'calls') this.#pendingCalls += section.rowCount;
          yield { ...section, sequence };
        }
      }
    }
  }

  get hasBatch(): boolean {
    return this.#log.sealed.length > 0;
  }

  /** The oldest batch, or undefined when there is none. Rejects when its file cannot be read. */
  async oldestBatch(): Promise<Batch | undefined> {
    const [segment] = this.#log.sealed;
    if (!segment) return undefined;
    const records = await this.#log.read(segment);
    const tables = joinSections(records.flatMap(({ payload }) => decodeJournalRecord(payload)));
    const calls = tables.find(({ table }) => table === 'calls')?.rowCount ?? 0;
    return { segment, token: this.#tokenOf(segment), tables, calls };
  }

  #tokenOf({ base }: SealedSegment): string {
    return createHash('sha256').update(`${this.node}/${base}`).digest('hex').slice(0, 32);
  }

  /** Forgets a batch that is stored. Rejects with the system's error. */
  async drop({ segment, calls }: Batch): Promise<void> {
    await this.#log.drop(segment);
    this.#pendingCalls -= calls;
  }

  /**
   * Puts rows aside that the store will not take, with the reason beside them, and forgets the rest of the batch.
   * @param refused the rows; without them the whole segment is put aside as it is
   */
  async quarantine(batch: Batch, reason: string, refused?: readonly RefusedRows[]): Promise<void> {
    await this.#fileSystem.makeDirectory(this.#quarantine);
    const name = join(this.#quarantine, String(batch.segment.base).padStart(16, '0'));
    const at = formatInstant(this.#clock.now() * 1000);
    const about = { token: batch.token, node: this.node, at, reason };
    const rows = refused?.map(({ table, reason: why, rows: bytes }) => ({
      table,
      reason: why,
      rows: Buffer.from(bytes).toString().trimEnd().split('\n'),
    }));
    const text = `${JSON.stringify({ ...about, ...(rows && { refused: rows }) }, null, 2)}\n`;
    await writeDurableFile(`${name}.json`, Buffer.from(text), this.#fileSystem);
    if (refused) await this.#log.drop(batch.segment);
    else await this.#log.moveOut(batch.segment, this.#quarantine);
    this.#pendingCalls -= batch.calls;
  }

  /** Makes a batch of what is durable by now. */
  seal(): Promise<void> {
    return this.#log.seal();
  }

  /** Takes nothing more and seals what was taken. */
  close(): Promise<void> {
    return this.#log.close();
  }
}

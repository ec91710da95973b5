// An append-only log of opaque records in checksummed files. One loop does everything to the growing segment, so
// concurrent appends share one sync, and records lie in the order in which `append` was called. A sealed segment never
// changes: whoever sends its records away can send the very same bytes again. Nothing here knows what a record means.

import { join } from 'node:path';
import { ActiveSegment, toSegmentName } from './active-segment.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from './file-system.ts';
import { FRAME_BYTES, type SegmentRecord } from './frame.ts';
import { SealedSegments } from './sealed-segments.ts';
import {
  type Damage,
  type DamageHandler,
  openSegmentDirectory,
  type SealedSegment,
  type SegmentDirectory,
} from './segment-directory.ts';

export type AppendResult =
  /** Durable. `sequence` is the first of the record's numbers, `segment` the base of the segment that holds it. */
  | { readonly status: 'appended'; readonly sequence: number; readonly segment: number }
  /** It would go over the cap on all segments together; nothing was written. */
  | { readonly status: 'full' }
  /** The disk refused, and the record is not there; only a crash before the next append or seal can bring it back. */
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'closed' };

export interface SegmentLogOptions {
  /** Owned by one log at a time; keeping others out is the caller's part. */
  readonly directory: string;
  /** Size of all segments together, in bytes. */
  readonly capBytes: number;
  /** A segment is sealed at whichever of these it reaches first; a record is never split. */
  readonly sealAtCount: number;
  readonly sealAtBytes: number;
  readonly sealAfterMs: number;
  /** Called after a segment was sealed. MUST NOT throw. */
  readonly onSealed?: () => void;
  /** Called with what kept a segment from being sealed when nobody was waiting for it; it is tried again. MUST NOT throw. */
  readonly onSealFailed?: (error: unknown) => void;
  /** Given what is about to be cut off or skipped; without it, that is only counted. */
  readonly onDamage?: DamageHandler;
  /** No lower sequence number is given out, whatever the segments say. 1 unless told. */
  readonly firstSequence?: number;
  /** Asked before a number below `next` is used for the first time; a rejection is a disk that refuses. */
  readonly reserve?: (next: number) => Promise<void>;
  readonly fileSystem?: FileSystem;
  readonly clock?: Clock;
}

/** Opens a directory of segments; what the last process had not sealed is sealed. Rejects with the system's error. */
export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentLog> {
  const { directory, fileSystem = NODE_FILE_SYSTEM, onDamage, firstSequence } = options;
  const opened = await openSegmentDirectory(directory, { fileSystem, onDamage, firstSequence });
  return new SegmentLog(options, opened);
}

interface PendingAppend {
  readonly payload: Uint8Array;
  readonly count: number;
  readonly sequence: number;
  readonly settle: (result: AppendResult) => void;
}

export class SegmentLog {
  readonly #options: SegmentLogOptions;
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #sealed: SealedSegments;
  #active: ActiveSegment;
  #pending: PendingAppend[] = [];
  #pendingBytes = 0;
  #nextSequence: number;
  #usableBelow = 0;
  readonly #foundSequence: number;
  /** Numbers were given to records that failed; inside a segment they have to follow one another, so a new one begins. */
  #hasGap = false;
  #sealWanted = false;
  #cancelAging: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** Use `openSegmentLog`. */
  constructor(options: SegmentLogOptions, { active, recoveredSequence, ...opened }: SegmentDirectory) {
    const { directory, onDamage = async () => undefined } = options;
    this.#options = options;
    this.#fileSystem = options.fileSystem ?? NODE_FILE_SYSTEM;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#sealed = new SealedSegments({ directory, onDamage, fileSystem: this.#fileSystem }, opened);
    this.#active = active;
    this.#nextSequence = active.base;
    this.#foundSequence = recoveredSequence;
  }

  /** The number the next record will have, if `append` is called before anything else is awaited. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** Size of all segments, in bytes, with what is about to be written. */
  get bytes(): number {
    return this.#sealed.bytes + this.#active.bytes + this.#pendingBytes;
  }

  /** The next number by the segments that were found at the opening, whatever else was asked for. */
  get recoveredSequence(): number {
    return this.#foundSequence;
  }

  /** Every record before this number has been dropped. */
  get oldestSequence(): number {
    return this.#sealed.all[0]?.base ?? this.#active.base;
  }

  /** Oldest first. */
  get sealed(): readonly SealedSegment[] {
    return this.#sealed.all;
  }

  get damage(): Damage {
    return this.#sealed.damage;
  }

  /** Whether a record of that many bytes would be refused for want of room. */
  isFullFor(payloadBytes: number): boolean {
    return this.bytes + FRAME_BYTES + payloadBytes > this.#options.capBytes;
  }

  /**
   * Adds a record; resolves when it is durable or refused, and never rejects. Its place is fixed when this is called.
   * @param count how many sequence numbers it takes; from 1 to the payload's length
   */
  append(payload: Uint8Array, count = 1): Promise<AppendResult> {
    if (count < 1 || payload.length < count) {
      throw new RangeError('A record takes at least one sequence number, and at most one per byte.');
    }
    if (this.#closed) return Promise.resolve({ status: 'closed' });
    if (this.isFullFor(payload.length)) return Promise.resolve({ status: 'full' });
    const sequence = this.#nextSequence;
    this.#nextSequence += count;
    this.#pendingBytes += FRAME_BYTES + payload.length;
    return new Promise((settle) => {
      this.#pending.push({ payload, count, sequence, settle });
      void this.#wake();
    });
  }

  /** Seals what is durable by now, if there is anything; records still on their way may go into the next segment. */
  async seal(): Promise<void> {
    this.#sealWanted = true;
    await this.#wake();
  }

  /** The intact records of a sealed segment: the same ones every time. Rejects when it cannot be read, or damage be kept. */
  read(segment: SealedSegment): Promise<readonly SegmentRecord[]> {
    return this.#sealed.read(segment);
  }

  /** Deletes a sealed segment. Rejects with the system's error; while the segment is in `sealed`, it is still there. */
  drop(segment: SealedSegment): Promise<void> {
    return this.#sealed.drop(segment);
  }

  /** Takes nothing more, waits for what was taken, and seals it. Called once. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.seal();
    this.#cancelAging?.();
    await this.#active.close();
  }

  #wake(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    // Appends of the same turn of the event loop share the first sync too.
    await undefined;
    while (this.#pending.length > 0 || (this.#sealWanted && this.#active.count > 0)) {
      const ready = await this.#prepareActive();
      const group = ready ? this.#takeGroup() : [];
      if (group.length > 0) await this.#commit(group);
    }
    this.#sealWanted = false;
    // In the same turn as the last look at `#pending`: an append after it starts the next run.
    this.#running = undefined;
  }

  /** Sees to it that the active segment can take the next record. False when the disk refused and that was told. */
  async #prepareActive(): Promise<boolean> {
    try {
      if (!this.#active.isIntact) await this.#active.repair();
      const isOver = this.#hasGap || this.#active.isReplaced;
      if (isOver || this.#isFull() || (this.#sealWanted && this.#active.count > 0)) await this.#roll();
      if (this.#pending.length > 0) await this.#reserve();
      return true;
    } catch (error) {
      if (this.#pending.length === 0) this.#options.onSealFailed?.(error);
      this.#fail(this.#pending.splice(0), error);
      if (this.#sealWanted) this.#age();
      this.#sealWanted = false;
      return false;
    }
  }

  async #reserve(): Promise<void> {
    const next = this.#nextSequence;
    await this.#options.reserve?.(next);
    this.#usableBelow = next;
  }

  #isFull(): boolean {
    const { sealAtCount, sealAtBytes } = this.#options;
    return this.#active.count >= sealAtCount || (this.#active.count > 0 && this.#active.bytes >= sealAtBytes);
  }

  async #roll(): Promise<void> {
    const old = this.#active;
    const base = this.#pending[0]?.sequence ?? this.#nextSequence;
    const { directory } = this.#options;
    this.#active = await ActiveSegment.create(base, { fileSystem: this.#fileSystem, directory });
    this.#hasGap = false;
    this.#sealWanted = false;
    this.#cancelAging?.();
    this.#cancelAging = undefined;
    // Its bytes are durable already: closing can tell nothing new.
    await old.close().catch(() => undefined);
    if (old.count === 0) {
      // An empty file that stays behind is removed at the next opening.
      await this.#fileSystem.unlink(join(directory, toSegmentName(old.base))).catch(() => undefined);
      return;
    }
    this.#sealed.add({ base: old.base, bytes: old.bytes });
    this.#options.onSealed?.();
  }

  /** As many records as belong into the active segment; those that came after the last reservation wait for the next one. */
  #takeGroup(): PendingAppend[] {
    const { sealAtCount, sealAtBytes } = this.#options;
    let count = this.#active.count;
    let bytes = this.#active.bytes;
    const end = this.#pending.findIndex((record) => {
      const isReserved = record.sequence + record.count <= this.#usableBelow;
      const belongs = isReserved && count < sealAtCount && (count === 0 || bytes < sealAtBytes);
      count += record.count;
      bytes += FRAME_BYTES + record.payload.length;
      return !belongs;
    });
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end);
  }

  async #commit(group: readonly PendingAppend[]): Promise<void> {
    try {
      await this.#active.commit(group);
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    for (const record of group) {
      this.#pendingBytes -= FRAME_BYTES + record.payload.length;
      record.settle({ status: 'appended', sequence: record.sequence, segment: this.#active.base });
    }
    if (this.#cancelAging === undefined) this.#age();
  }

  #fail(group: readonly PendingAppend[], error: unknown): void {
    this.#hasGap ||= group.length > 0;
    for (const record of group) {
      this.#pendingBytes -= FRAME_BYTES + record.payload.length;
      record.settle({ status: 'failed', error });
    }
  }

  #age(): void {
    this.#cancelAging?.();
    this.#cancelAging = this.#clock.schedule(this.#options.sealAfterMs, () => {
      this.#cancelAging = undefined;
      void this.seal();
    });
  }
}

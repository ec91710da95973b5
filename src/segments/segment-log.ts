// An append-only log of opaque records in checksummed files. One loop does everything to the growing segment, so
// concurrent appends share one sync, and records lie in the order in which `append` was called. A sealed segment never
// changes: whoever sends its records away can send the very same bytes again. Nothing here knows what a record means.

import { join } from 'node:path';
import { ActiveSegment, toSegmentName } from './active-segment.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from './file-system.ts';
import { FRAME_BYTES, type SegmentRecord, scanSegment } from './frame.ts';
import { type Damage, type OpenedDirectory, openDirectory, type SealedSegment } from './open-directory.ts';

export type AppendResult =
  /** Durable. `sequence` is the first of the record's numbers. */
  | { readonly status: 'appended'; readonly sequence: number }
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
  readonly fileSystem?: FileSystem;
  readonly clock?: Clock;
}

/** Opens a directory of segments; what the last process had not sealed is sealed. Rejects with the system's error. */
export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentLog> {
  const opened = await openDirectory(options.directory, options.fileSystem ?? NODE_FILE_SYSTEM);
  return new SegmentLog(options, opened);
}

interface Pending {
  readonly payload: Uint8Array;
  readonly count: number;
  readonly sequence: number;
  readonly settle: (result: AppendResult) => void;
}

export class SegmentLog {
  readonly #options: SegmentLogOptions;
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #inspected = new Set<number>();
  #sealed: readonly SealedSegment[];
  #sealedBytes = 0;
  #active: ActiveSegment;
  #pending: Pending[] = [];
  #pendingBytes = 0;
  #nextSequence: number;
  /** Numbers were given to records that failed; inside a segment they have to follow one another, so a new one begins. */
  #hasGap = false;
  #sealWanted = false;
  #cancelAging: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #closed = false;
  #damage: Damage;

  /** Use `openSegmentLog`. */
  constructor(options: SegmentLogOptions, { sealed, active, damage, inspected }: OpenedDirectory) {
    this.#options = options;
    this.#fileSystem = options.fileSystem ?? NODE_FILE_SYSTEM;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#sealed = sealed;
    for (const { bytes } of sealed) this.#sealedBytes += bytes;
    this.#active = active;
    this.#nextSequence = active.base;
    this.#damage = damage;
    if (inspected !== undefined) this.#inspected.add(inspected);
  }

  /** The number the next record will have, if `append` is called before anything else is awaited. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** Size of all segments, in bytes, with what is about to be written. */
  get bytes(): number {
    return this.#sealedBytes + this.#active.bytes + this.#pendingBytes;
  }

  /** Every record before this number has been dropped. */
  get oldestSequence(): number {
    return this.#sealed[0]?.base ?? this.#active.base;
  }

  /** Oldest first. */
  get sealed(): readonly SealedSegment[] {
    return this.#sealed;
  }

  get damage(): Damage {
    return this.#damage;
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

  /** The intact records of a sealed segment: the same ones every time. Rejects when the file cannot be read. */
  async read({ base }: SealedSegment): Promise<readonly SegmentRecord[]> {
    const content = await this.#fileSystem.read(this.#pathOf(base));
    const { records, tailBytes, corruptedRecords, corruptedBytes } = scanSegment(content, base);
    if (!this.#inspected.has(base)) {
      this.#inspected.add(base);
      this.#damage = {
        tornBytes: this.#damage.tornBytes,
        corruptedRecords: this.#damage.corruptedRecords + corruptedRecords + (tailBytes > 0 ? 1 : 0),
        corruptedBytes: this.#damage.corruptedBytes + corruptedBytes + tailBytes,
      };
    }
    return records;
  }

  /** Deletes a sealed segment. Rejects with the system's error; while the segment is in `sealed`, it is still there. */
  async drop(segment: SealedSegment): Promise<void> {
    await this.#fileSystem.unlink(this.#pathOf(segment.base));
    this.#forget(segment);
    await this.#fileSystem.syncDirectory(this.#options.directory);
  }

  /** Moves a sealed segment, as it is, to a directory of the same file system. Rejects as `drop` does. */
  async moveOut(segment: SealedSegment, directory: string): Promise<void> {
    await this.#fileSystem.rename(this.#pathOf(segment.base), join(directory, toSegmentName(segment.base)));
    this.#forget(segment);
    await this.#fileSystem.syncDirectory(directory);
    await this.#fileSystem.syncDirectory(this.#options.directory);
  }

  /** Takes nothing more, waits for what was taken, and seals it. Called once. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.seal();
    this.#cancelAging?.();
    await this.#active.close();
  }

  #pathOf(base: number): string {
    return join(this.#options.directory, toSegmentName(base));
  }

  #forget(segment: SealedSegment): void {
    this.#sealed = this.#sealed.filter(({ base }) => base !== segment.base);
    this.#sealedBytes -= segment.bytes;
    this.#inspected.delete(segment.base);
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
      if (ready && this.#pending.length > 0) await this.#commit(this.#takeGroup());
    }
    this.#sealWanted = false;
    // In the same turn as the last look at `#pending`: an append after it starts the next run.
    this.#running = undefined;
  }

  /** Sees to it that the active segment can take the next record. False when the disk refused and that was told. */
  async #prepareActive(): Promise<boolean> {
    try {
      if (!this.#active.sound) await this.#active.repair();
      if (this.#hasGap || this.#isFull() || (this.#sealWanted && this.#active.count > 0)) await this.#roll();
      return true;
    } catch (error) {
      if (this.#pending.length === 0) this.#options.onSealFailed?.(error);
      this.#fail(this.#pending.splice(0), error);
      if (this.#sealWanted) this.#age();
      this.#sealWanted = false;
      return false;
    }
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
      await this.#fileSystem.unlink(this.#pathOf(old.base)).catch(() => undefined);
      return;
    }
    this.#sealed = [...this.#sealed, { base: old.base, bytes: old.bytes }];
    this.#sealedBytes += old.bytes;
    this.#options.onSealed?.();
  }

  /** As many records as belong into the active segment; at least one. */
  #takeGroup(): Pending[] {
    const { sealAtCount, sealAtBytes } = this.#options;
    let count = this.#active.count;
    let bytes = this.#active.bytes;
    const end = this.#pending.findIndex((record) => {
      const belongs = count < sealAtCount && (count === 0 || bytes < sealAtBytes);
      count += record.count;
      bytes += FRAME_BYTES + record.payload.length;
      return !belongs;
    });
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end);
  }

  async #commit(group: readonly Pending[]): Promise<void> {
    try {
      await this.#active.commit(group);
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    for (const record of group) {
      this.#pendingBytes -= FRAME_BYTES + record.payload.length;
      record.settle({ status: 'appended', sequence: record.sequence });
    }
    if (this.#cancelAging === undefined) this.#age();
  }

  #fail(group: readonly Pending[], error: unknown): void {
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

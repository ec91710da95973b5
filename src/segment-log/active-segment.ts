// The one segment that still grows. It knows up to where its bytes are known to be durable. After a failed write what
// lies behind that point is cut off. After a failed sync the file is never written again: the system may have marked
// what it could not write as clean, so that a later sync says yes to bytes that are nowhere. What was durable before is
// copied to a fresh file that takes its name, and the next record begins another segment.

import { join } from 'node:path';
import { writeDurableFile } from './durable-file.ts';
import type { FileSystem, SegmentFile } from './file-system.ts';
import { encodeFrames, encodeHeader, HEADER_BYTES, type SegmentRecord } from './frame.ts';

const EXTENSION = '.seg';
/** Number.MAX_SAFE_INTEGER has 16 digits; zeros in front make the order of names the order of numbers. */
const SEGMENT_NAME = /^(\d{16})\.seg$/;

/** @returns the name of the segment whose first record has this sequence number */
export function toSegmentName(base: number): string {
  return `${String(base).padStart(16, '0')}${EXTENSION}`;
}

/** @returns the base sequence number in a file's name, or undefined when it is no segment's */
export function parseSegmentName(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Where a segment lies and what it does to the disk. */
interface SegmentLocation {
  readonly fileSystem: FileSystem;
  readonly directory: string;
}

/**
 * `overwritten`: something may lie behind the durable bytes. `distrusted`: a sync failed. `replaced`: the name belongs to a
 * fresh copy of the durable bytes.
 */
type SegmentState = 'sound' | 'overwritten' | 'distrusted' | 'replaced';

export class ActiveSegment {
  readonly base: number;
  readonly #file: SegmentFile;
  readonly #place: SegmentLocation;
  #bytes = HEADER_BYTES;
  #count = 0;
  #condition: SegmentState = 'sound';

  private constructor(base: number, file: SegmentFile, place: SegmentLocation) {
    this.base = base;
    this.#file = file;
    this.#place = place;
  }

  /** Makes the file, its header and its name durable. Rejects, and leaves no file, when the disk refuses. */
  static async create(base: number, { fileSystem, directory }: SegmentLocation): Promise<ActiveSegment> {
    const path = join(directory, toSegmentName(base));
    const file = await fileSystem.open(path, 'create');
    try {
      await file.write(encodeHeader(base), 0);
      await file.sync();
      await fileSystem.syncDirectory(directory);
    } catch (error) {
      // The first error is the one worth telling; a file that stays behind is empty and removed at the next opening.
      await file.close().catch(() => undefined);
      await fileSystem.unlink(path).catch(() => undefined);
      throw error;
    }
    return new ActiveSegment(base, file, { fileSystem, directory });
  }

  /** Opens a segment without records that an earlier process left. */
  static async reopen(base: number, { fileSystem, directory }: SegmentLocation): Promise<ActiveSegment> {
    const file = await fileSystem.open(join(directory, toSegmentName(base)), 'modify');
    try {
      await file.truncate(0);
      await file.write(encodeHeader(base), 0);
      await file.sync();
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    return new ActiveSegment(base, file, { fileSystem, directory });
  }

  /** Durable bytes, the header included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sequence numbers taken by durable records. */
  get count(): number {
    return this.#count;
  }

  /** False after a failed commit, until `repair` has succeeded. */
  get isIntact(): boolean {
    return this.#condition === 'sound' || this.#condition === 'replaced';
  }

  /** Whether the next record has to begin another segment. */
  get isReplaced(): boolean {
    return this.#condition === 'replaced';
  }

  /** Returns when the records are durable; rejects when that is not sure, and then none of them counts. */
  async commit(records: readonly Pick<SegmentRecord, 'count' | 'payload'>[]): Promise<void> {
    const frames = encodeFrames(this.base, records);
    this.#condition = 'overwritten';
    await this.#file.write(frames, this.#bytes);
    await this.#sync();
    this.#bytes += frames.length;
    for (const { count } of records) this.#count += count;
  }

  /** Makes sure that nothing of a failed commit comes back, whatever happens next. Rejects when the disk refuses still. */
  async repair(): Promise<void> {
    if (this.#condition === 'overwritten') {
      await this.#file.truncate(this.#bytes);
      await this.#sync();
    } else if (this.#condition === 'distrusted') {
      await this.#replace();
    }
  }

  async #sync(): Promise<void> {
    this.#condition = 'distrusted';
    await this.#file.sync();
    this.#condition = 'sound';
  }

  async #replace(): Promise<void> {
    const { fileSystem, directory } = this.#place;
    const path = join(directory, toSegmentName(this.base));
    const durable = (await fileSystem.read(path)).subarray(0, this.#bytes);
    // Damaged bytes are copied as they are: whoever reads the segment keeps and counts them.
    if (durable.length < this.#bytes) throw new Error('A segment reads back shorter than it was written.');
    await writeDurableFile(path, durable, fileSystem);
    this.#condition = 'replaced';
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

// The one segment that still grows, and how many of its bytes are known to be durable. After a failed write,
// everything beyond that point is cut off. After a failed sync the file is never written again: the system
// may have marked unwritten pages as clean, so a later sync could report success for lost bytes. Instead, the
// durable bytes are copied to a fresh file that takes its name, and the next record begins another segment.

import { join } from 'node:path';
import { writeDurableFile } from './durable-file.ts';
import type { FileSystem, SegmentFile } from './file-system.ts';
import { encodeFrames, encodeHeader, HEADER_BYTES, type SegmentRecord } from './frame.ts';

const EXTENSION = '.seg';
/** Number.MAX_SAFE_INTEGER has 16 digits; zero padding makes name order equal numeric order. */
const SEGMENT_NAME = /^(\d{16})\.seg$/;

/** @returns the name of the segment whose first record has this sequence number */
export function toSegmentName(base: number): string {
  return `${String(base).padStart(16, '0')}${EXTENSION}`;
}

/** @returns the base sequence number in a file name, or undefined if it is not a segment's */
export function parseSegmentName(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The location of a segment and its file system. */
interface SegmentLocation {
  readonly fileSystem: FileSystem;
  readonly directory: string;
}

/**
 * `overwritten`: bytes may follow the durable ones. `distrusted`: a sync failed. `replaced`: the name belongs
 * to a fresh copy of the durable bytes.
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

  /** Makes the file, its header and its name durable. Rejects, leaving no file, if the disk refuses. */
  static async create(base: number, { fileSystem, directory }: SegmentLocation): Promise<ActiveSegment> {
    const path = join(directory, toSegmentName(base));
    const file = await fileSystem.open(path, 'create');
    try {
      await file.write(encodeHeader(base), 0);
      await file.sync();
      await fileSystem.syncDirectory(directory);
    } catch (error) {
      // Report the first error; a file left behind is empty and is removed on the next opening.
      await file.close().catch(() => undefined);
      await fileSystem.unlink(path).catch(() => undefined);
      throw error;
    }
    return new ActiveSegment(base, file, { fileSystem, directory });
  }

  /** Opens a segment without records left by an earlier process. */
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

  /** Durable bytes, including the header. */
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

  /** Whether the next record must begin another segment. */
  get isReplaced(): boolean {
    return this.#condition === 'replaced';
  }

  /** Resolves once the records are durable. Rejects if that is uncertain; then none of them counts. */
  async commit(records: readonly Pick<SegmentRecord, 'count' | 'payload'>[]): Promise<void> {
    const frames = encodeFrames(this.base, records);
    this.#condition = 'overwritten';
    await this.#file.write(frames, this.#bytes);
    await this.#sync();
    this.#bytes += frames.length;
    for (const { count } of records) this.#count += count;
  }

  /** Ensures that nothing of a failed commit can reappear. Rejects if the disk still refuses. */
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
    // Damaged bytes are copied unchanged; reading the segment preserves and counts them.
    if (durable.length < this.#bytes) throw new Error('A segment reads back shorter than it was written.');
    await writeDurableFile(path, durable, fileSystem);
    this.#condition = 'replaced';
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

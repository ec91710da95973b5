// The one segment that still grows. It knows up to where its bytes are known to be durable; after a failed write or
// sync, what lies behind that point may or may not be there, and must be cut off before anything else is accepted.

import { join } from 'node:path';
import type { FileSystem, SegmentFile } from './file-system.ts';
import { encodeFrames, encodeHeader, HEADER_BYTES, type SegmentRecord } from './frame.ts';

const EXTENSION = '.seg';
/** Number.MAX_SAFE_INTEGER has 16 digits; zeros in front make the order of names the order of numbers. */
const NAME = /^(\d{16})\.seg$/;

/** @returns the name of the segment whose first record has this sequence number */
export function toSegmentName(base: number): string {
  return `${String(base).padStart(16, '0')}${EXTENSION}`;
}

/** @returns the base sequence number in a file's name, or undefined when it is no segment's */
export function parseSegmentName(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Where a segment lies and what it does to the disk. */
interface Place {
  readonly fileSystem: FileSystem;
  readonly directory: string;
}

export class ActiveSegment {
  readonly base: number;
  readonly #file: SegmentFile;
  #bytes = HEADER_BYTES;
  #count = 0;
  #sound = true;

  private constructor(base: number, file: SegmentFile) {
    this.base = base;
    this.#file = file;
  }

  /** Makes the file, its header and its name durable. Rejects, and leaves no file, when the disk refuses. */
  static async create(base: number, { fileSystem, directory }: Place): Promise<ActiveSegment> {
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
    return new ActiveSegment(base, file);
  }

  /** Opens a segment without records that an earlier process left. */
  static async reopen(base: number, { fileSystem, directory }: Place): Promise<ActiveSegment> {
    const segment = new ActiveSegment(
      base,
      await fileSystem.open(join(directory, toSegmentName(base)), 'modify'),
    );
    await segment.#file.truncate(0);
    await segment.#file.write(encodeHeader(base), 0);
    await segment.#file.sync();
    return segment;
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
  get sound(): boolean {
    return this.#sound;
  }

  /** Returns when the records are durable; rejects when that is not sure, and then none of them counts. */
  async commit(records: readonly Pick<SegmentRecord, 'count' | 'payload'>[]): Promise<void> {
    const frames = encodeFrames(this.base, records);
    this.#sound = false;
    await this.#file.write(frames, this.#bytes);
    await this.#file.sync();
    this.#sound = true;
    this.#bytes += frames.length;
    for (const { count } of records) this.#count += count;
  }

  /** Cuts off what a failed commit may have left. */
  async repair(): Promise<void> {
    await this.#file.truncate(this.#bytes);
    await this.#file.sync();
    this.#sound = true;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

// The segments that do not change any more: read, dropped, and what was found broken in them. Damage is counted, and
// kept where the caller wants it, the first time a segment is read.

import { join } from 'node:path';
import { toSegmentName } from './active-segment.ts';
import type { FileSystem } from './file-system.ts';
import { type SegmentRecord, scanSegment } from './frame.ts';
import type { Damage, KeepDamaged, OpenedDirectory, SealedSegment } from './open-directory.ts';

export interface SealedSegmentsOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly keepDamaged: KeepDamaged;
}

export class SealedSegments {
  readonly #options: SealedSegmentsOptions;
  readonly #inspected = new Set<number>();
  #segments: readonly SealedSegment[];
  #bytes = 0;
  #damage: Damage;

  constructor(
    options: SealedSegmentsOptions,
    { sealed, damage, inspected }: Omit<OpenedDirectory, 'active'>,
  ) {
    this.#options = options;
    this.#segments = sealed;
    for (const { bytes } of sealed) this.#bytes += bytes;
    this.#damage = damage;
    if (inspected !== undefined) this.#inspected.add(inspected);
  }

  /** Oldest first. */
  get all(): readonly SealedSegment[] {
    return this.#segments;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get damage(): Damage {
    return this.#damage;
  }

  add(segment: SealedSegment): void {
    this.#segments = [...this.#segments, segment];
    this.#bytes += segment.bytes;
  }

  /** The intact records: the same ones every time. Rejects when the file cannot be read, or damage cannot be kept. */
  async read({ base }: SealedSegment): Promise<readonly SegmentRecord[]> {
    const { fileSystem, keepDamaged } = this.#options;
    const scan = scanSegment(await fileSystem.read(this.#pathOf(base)), base);
    if (!this.#inspected.has(base)) {
      for (const { offset, bytes } of scan.damaged)
        await keepDamaged({ base, offset, bytes, kind: 'corrupted' });
      this.#inspected.add(base);
      const { tornBytes, corruptedRecords, corruptedBytes } = this.#damage;
      this.#damage = {
        tornBytes,
        corruptedRecords: corruptedRecords + scan.damaged.length,
        corruptedBytes: corruptedBytes + scan.corruptedBytes + scan.tailBytes,
      };
    }
    return scan.records;
  }

  /** Deletes a segment. Rejects with the system's error; while the segment is in `all`, it is still there. */
  async drop(segment: SealedSegment): Promise<void> {
    const { fileSystem, directory } = this.#options;
    await fileSystem.unlink(this.#pathOf(segment.base));
    this.#segments = this.#segments.filter(({ base }) => base !== segment.base);
    this.#bytes -= segment.bytes;
    this.#inspected.delete(segment.base);
    await fileSystem.syncDirectory(directory);
  }

  #pathOf(base: number): string {
    return join(this.#options.directory, toSegmentName(base));
  }
}

// Sealed segments, which never change: reading, deletion and damage. Damage is counted, and passed to the
// damage handler, when it is first found; a segment may become damaged between two reads.

import { join } from 'node:path';
import { toSegmentName } from './active-segment.ts';
import type { FileSystem } from './file-system.ts';
import { type DamagedRange, type SegmentRecord, scanSegmentYielding } from './frame.ts';
import {
  type Damage,
  type DamageHandler,
  type SealedSegment,
  type SegmentDirectory,
  toDamageId,
} from './segment-directory.ts';

export interface SealedSegmentsOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly onDamage: DamageHandler;
}

export class SealedSegments {
  readonly #options: SealedSegmentsOptions;
  readonly #known: Set<string>;
  #segments: readonly SealedSegment[];
  #bytes = 0;
  #damage: Damage;

  constructor(
    options: SealedSegmentsOptions,
    { sealed, damage, damageIds }: Pick<SegmentDirectory, 'sealed' | 'damage' | 'damageIds'>,
  ) {
    this.#options = options;
    this.#segments = sealed;
    for (const { bytes } of sealed) this.#bytes += bytes;
    this.#damage = damage;
    this.#known = new Set(damageIds);
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

  /**
   * Returns the intact records, the same ones on every call. Rejects if the file cannot be read or damage
   * cannot be preserved.
   */
  async read({ base }: SealedSegment): Promise<readonly SegmentRecord[]> {
    const content = await this.#options.fileSystem.read(this.#pathOf(base));
    const { records, damagedRanges } = await scanSegmentYielding(content, base);
    for (const piece of damagedRanges) await this.#keep(base, piece);
    return records;
  }

  async #keep(base: number, piece: DamagedRange): Promise<void> {
    const name = toDamageId(base, piece);
    if (this.#known.has(name)) return;
    await this.#options.onDamage({ base, ...piece, kind: 'corrupted' });
    this.#known.add(name);
    const { tornBytes, corruptedRecords, corruptedBytes } = this.#damage;
    this.#damage = {
      tornBytes,
      corruptedRecords: corruptedRecords + 1,
      corruptedBytes: corruptedBytes + piece.bytes.length,
    };
  }

  /** Deletes a segment. Rejects with the system's error. A segment that is still in `all` still exists. */
  async drop(segment: SealedSegment): Promise<void> {
    const { fileSystem, directory } = this.#options;
    await fileSystem.unlink(this.#pathOf(segment.base));
    this.#segments = this.#segments.filter(({ base }) => base !== segment.base);
    this.#bytes -= segment.bytes;
    await fileSystem.syncDirectory(directory);
  }

  #pathOf(base: number): string {
    return join(this.#options.directory, toSegmentName(base));
  }
}

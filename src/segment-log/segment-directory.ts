// Recovers a segment directory that an earlier process left. The unfinished record at the end of the last
// segment is cut off and counted, segments without records are removed, and the next sequence number is
// determined. That number never repeats one already assigned, even if all segments were dropped: an empty
// segment keeps its name.

import { join } from 'node:path';
import { ActiveSegment, parseSegmentName, toSegmentName } from './active-segment.ts';
import type { FileSystem } from './file-system.ts';
import { type DamagedRange, HEADER_BYTES, hasHeader, scanSegment } from './frame.ts';

/** A segment that no longer changes. */
export interface SealedSegment {
  /** Sequence number of its first record, which is also its name. */
  readonly base: number;
  /** File size. */
  readonly bytes: number;
}

/** Damage found since the log was opened. */
export interface Damage {
  /** Bytes of an unfinished record, cut off at the end of the last segment. */
  readonly tornBytes: number;
  /** Damaged ranges that were skipped between intact records. */
  readonly corruptedRecords: number;
  readonly corruptedBytes: number;
}

/** Bytes that are not an intact record, reported before they are cut off or skipped. */
export interface SegmentDamage {
  /** Base of the segment that holds them. */
  readonly base: number;
  /** Offset of their first byte in that segment's file. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /**
   * `torn`: at the end of the last segment, most likely an unfinished write. `corrupted`: everywhere else.
   */
  readonly kind: 'torn' | 'corrupted';
}

/** @returns an id that is unique to a damaged range, even to the same range after it has grown */
export function toDamageId(base: number, { offset, bytes }: DamagedRange): string {
  return `${base}/${offset}+${bytes.length}`;
}

/**
 * Preserves damaged bytes. A rejection leaves everything unchanged. The same range may be passed more than
 * once.
 */
export type DamageHandler = (piece: SegmentDamage) => Promise<void>;

export interface SegmentDirectory {
  readonly sealed: readonly SealedSegment[];
  readonly active: ActiveSegment;
  readonly damage: Damage;
  /** Ids of the damaged ranges already counted in `damage`. */
  readonly damageIds: readonly string[];
  /** The next sequence number according to the segments alone. */
  readonly recoveredSequence: number;
}

const FIRST_SEQUENCE = 1;
const NO_DAMAGE: Damage = { tornBytes: 0, corruptedRecords: 0, corruptedBytes: 0 };

export interface SegmentDirectoryOptions {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly onDamage: DamageHandler;
  /** No lower sequence number is assigned, whatever the segments contain. */
  readonly firstSequence: number;
}

/** Reads and repairs a directory, creating it if necessary. Rejects with the file system's error. */
export async function openSegmentDirectory(options: SegmentDirectoryOptions): Promise<SegmentDirectory> {
  const { directory, fileSystem, firstSequence } = options;
  await fileSystem.makeDirectory(directory);
  await removeDraftFiles(directory, fileSystem);
  // The previous process may have ended between creating a file and making its name durable.
  await fileSystem.syncDirectory(directory);
  const found = await listSegments(directory, fileSystem);
  const last = found.pop();
  const sealed: SealedSegment[] = [];
  for (const segment of found) {
    if (segment.bytes > HEADER_BYTES) sealed.push(segment);
    else await fileSystem.unlink(join(directory, toSegmentName(segment.base)));
  }
  if (last) return recoverLastSegment(last, sealed, options);
  const active = await ActiveSegment.create(firstSequence, options);
  return { sealed, active, damage: NO_DAMAGE, damageIds: [], recoveredSequence: FIRST_SEQUENCE };
}

async function listSegments(directory: string, fileSystem: FileSystem): Promise<SealedSegment[]> {
  const files = await fileSystem.list(directory);
  return files
    .flatMap(({ name, bytes }) => {
      const base = parseSegmentName(name);
      return base === undefined ? [] : [{ base, bytes }];
    })
    .sort((a, b) => a.base - b.base);
}

/** Removes copies of segments that were not finished. */
async function removeDraftFiles(directory: string, fileSystem: FileSystem): Promise<void> {
  for (const { name } of await fileSystem.list(directory))
    if (name.endsWith('.seg.draft')) await fileSystem.unlink(join(directory, name));
}

/**
 * Handles a last segment that may end within a record: seals it as it is, or continues it if it never held a
 * record.
 */
async function recoverLastSegment(
  last: SealedSegment,
  sealed: readonly SealedSegment[],
  options: SegmentDirectoryOptions,
): Promise<SegmentDirectory> {
  const { directory, fileSystem, onDamage, firstSequence } = options;
  const { base } = last;
  const path = join(directory, toSegmentName(base));
  const content = await fileSystem.read(path);
  const { records, intactBytes, tailBytes, damagedRanges, ...scan } = scanSegment(content, base);
  const { corruptedRecords, corruptedBytes, nextSequence: recoveredSequence } = scan;
  const nextSequence = Math.max(recoveredSequence, firstSequence);
  const damage: Damage = { tornBytes: tailBytes, corruptedRecords, corruptedBytes };
  for (const { offset, bytes } of damagedRanges)
    await onDamage({ base, offset, bytes, kind: offset === intactBytes ? 'torn' : 'corrupted' });
  if (records.length > 0) {
    if (tailBytes > 0) await truncateFile(path, intactBytes, fileSystem);
    return {
      sealed: [...sealed, { base, bytes: intactBytes }],
      active: await ActiveSegment.create(nextSequence, options),
      damage,
      damageIds: damagedRanges.map((piece) => toDamageId(base, piece)),
      recoveredSequence,
    };
  }
  const withoutLast = { sealed, damageIds: [], recoveredSequence };
  if (nextSequence === base) {
    const isRewritten = content.length > 0 && !hasHeader(content, base);
    const active = await ActiveSegment.reopen(base, options);
    return { ...withoutLast, active, damage: { ...damage, tornBytes: isRewritten ? content.length : 0 } };
  }
  const active = await ActiveSegment.create(nextSequence, options);
  await fileSystem.unlink(path);
  return { ...withoutLast, active, damage };
}

async function truncateFile(path: string, length: number, fileSystem: FileSystem): Promise<void> {
  const file = await fileSystem.open(path, 'modify');
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

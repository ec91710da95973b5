// A segment file of the spool: its location, size, and the calls that still need it. Segments are written
// asynchronously, or synchronously at process exit; the format is the same.

import { close, closeSync, ftruncate, open, openSync, unlink, unlinkSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeFrames, encodeHeader, HEADER_BYTES } from '../../segment-log/frame.ts';
import type { EncodedCall } from './call-queue.ts';
import { createSegmentName, formatSegmentName } from './segment-name.ts';
import { getCurrentOwner } from './spool-owner.ts';
import { encodeRecord } from './spooled-batch.ts';

// Uses descriptors instead of fs/promises handles, which print a warning when they are garbage-collected.
const openFile = promisify(open);
const writeFile = promisify(write);
const closeFile = promisify(close);
const truncateFile = promisify(ftruncate);
const unlinkFile = promisify(unlink);

const FILE_MODE = 0o600;

export interface SpoolSegment {
  readonly path: string;
  /** Creation time and base of the checksums; see `SegmentName`. */
  readonly base: number;
  bytes: number;
  /** Number of its calls that are also in memory and will be sent from there. */
  inMemory: number;
  /** Whether some of its calls are no longer in memory, so that the segment must be sent from disk. */
  isReleased: boolean;
  /** Damaged sections that were already reported. */
  reportedDamage: number;
}

/** The segment that is being appended to. */
export interface OpenSpoolSegment {
  readonly segment: SpoolSegment;
  readonly file: number;
}

/** Creates a segment. Rejects with the system's error and then leaves neither descriptor nor file. */
export async function openSegment(folder: string): Promise<OpenSpoolSegment> {
  const segment = createSegment(folder);
  const opened = { segment, file: await openFile(segment.path, 'wx', FILE_MODE) };
  try {
    await writeAll(opened.file, encodeHeader(segment.base), 0);
  } catch (error) {
    await discardSegment(opened);
    throw error;
  }
  return opened;
}

/**
 * Appends calls as one record. Rejects with the system's error, in which case the record is not in the file.
 */
export async function appendCalls(
  { segment, file }: OpenSpoolSegment,
  calls: readonly EncodedCall[],
): Promise<void> {
  const frames = encodeCalls(segment, calls);
  try {
    await writeAll(file, frames, segment.bytes);
  } catch (error) {
    // A reader would count a partial record as a loss although its calls are still in memory.
    await truncateFile(file, segment.bytes).catch(() => {});
    throw error;
  }
  segment.bytes += frames.length;
}

/** Rejects with the system's error; written data stays. */
export function closeSegment({ file }: OpenSpoolSegment): Promise<void> {
  return closeFile(file);
}

/** Closes and removes an empty segment. Never rejects. */
export async function discardSegment({ segment, file }: OpenSpoolSegment): Promise<void> {
  await closeFile(file).catch(() => {});
  await unlinkFile(segment.path).catch(() => {});
}

/** Synchronously writes a complete segment. Throws the system's error and then leaves no file. */
export function writeSegmentSync(folder: string, calls: readonly EncodedCall[]): SpoolSegment {
  const segment = createSegment(folder);
  const bytes = Buffer.concat([encodeHeader(segment.base), encodeCalls(segment, calls)]);
  const file = openSync(segment.path, 'wx', FILE_MODE);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    unlinkSync(segment.path);
    throw error;
  } finally {
    closeSync(file);
  }
  segment.bytes = bytes.length;
  return segment;
}

function createSegment(folder: string): SpoolSegment {
  const name = createSegmentName(getCurrentOwner(), performance.timeOrigin + performance.now());
  const path = join(folder, formatSegmentName(name));
  return { path, base: name.base, bytes: HEADER_BYTES, inMemory: 0, isReleased: false, reportedDamage: 0 };
}

function encodeCalls({ base }: SpoolSegment, calls: readonly EncodedCall[]): Buffer {
  return encodeFrames(base, [{ count: calls.length, payload: encodeRecord(calls) }]);
}

async function writeAll(file: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeFile(file, bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

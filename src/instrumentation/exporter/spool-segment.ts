// One file of the spool: where it is, how full, and who still needs it. Written from inside and outside the event loop;
// a segment that was written whole at the end of a process looks like any other.

import { close, closeSync, ftruncate, open, openSync, unlink, unlinkSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeFrames, encodeHeader, HEADER_BYTES } from '../../segment-log/frame.ts';
import type { EncodedCall } from './call-queue.ts';
import { createSegmentName, formatSegmentName } from './segment-name.ts';
import { getCurrentOwner } from './spool-owner.ts';
import { encodeRecord } from './spooled-batch.ts';

// Descriptors, not the handles of fs/promises: one that is left to the garbage collector prints a warning.
const openFile = promisify(open);
const writeFile = promisify(write);
const closeFile = promisify(close);
const truncateFile = promisify(ftruncate);
const unlinkFile = promisify(unlink);

const FILE_MODE = 0o600;

export interface SpoolSegment {
  readonly path: string;
  /** Its age, and what its checksums start from; see `SegmentName`. */
  readonly base: number;
  bytes: number;
  /** Calls of it that are in memory, too, and will be sent from there. */
  inMemory: number;
  /** Calls of it are in no memory any more: it has to be sent as it is. */
  isReleased: boolean;
  /** Damaged stretches of it that were told. */
  reportedDamage: number;
}

/** The segment that grows. */
export interface OpenSpoolSegment {
  readonly segment: SpoolSegment;
  /** Descriptor. */
  readonly file: number;
}

/** Begins a segment. Rejects with the system's error, and leaves neither descriptor nor file. */
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

/** Adds calls as one record. Rejects with the system's error; then the record is not there. */
export async function appendCalls(
  { segment, file }: OpenSpoolSegment,
  calls: readonly EncodedCall[],
): Promise<void> {
  const frames = encodeCalls(segment, calls);
  try {
    await writeAll(file, frames, segment.bytes);
  } catch (error) {
    // Half a record would be counted as a loss by whoever reads it, while its calls are still in memory.
    await truncateFile(file, segment.bytes).catch(() => {});
    throw error;
  }
  segment.bytes += frames.length;
}

/** Rejects with the system's error; what was written stays. */
export function closeSegment({ file }: OpenSpoolSegment): Promise<void> {
  return closeFile(file);
}

/** Closes a segment that holds nothing, and removes it. Never rejects. */
export async function discardSegment({ segment, file }: OpenSpoolSegment): Promise<void> {
  await closeFile(file).catch(() => {});
  await unlinkFile(segment.path).catch(() => {});
}

/** Writes a segment of its own, whole, at once. Throws the system's error, and leaves no file. */
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

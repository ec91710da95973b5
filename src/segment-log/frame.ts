// The byte format of a segment: a header (magic, base sequence number), then records of
//   u32 payload length · u32 checksum · u32 count · payload (little-endian)
// The checksum is CRC-32, which Node.js calculates natively (1.4 to 5 GB/s); segments of earlier versions have CRC-32C.
// `count` is the number of sequence numbers that a record takes. The checksum is seeded with the header's and
// covers length, count and payload. It therefore rejects a run of zeros, a flipped length and a block of
// another, deleted segment.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { crc32c } from './crc32c.ts';

interface SegmentFormat {
  readonly magic: Buffer;
  readonly checksum: (bytes: Uint8Array, previous?: number) => number;
}

/** What is written. */
const FORMAT: SegmentFormat = { magic: Buffer.from('toolseg2', 'latin1'), checksum: crc32 };
/** What is only read. */
const EARLIER_FORMAT: SegmentFormat = { magic: Buffer.from('toolseg1', 'latin1'), checksum: crc32c };
export const HEADER_BYTES = 16;
export const FRAME_BYTES = 12;
/** Maximum time in the event loop, as far as single records permit. */
const MAX_BLOCKING_MS = 5;

/**
 * Maximum number of bytes to checksum when searching for the next intact record. Text cannot look like a
 * frame, so a search ends far earlier.
 */
const MAX_SEARCH_BYTES = 256 * 1024 * 1024;

export interface SegmentRecord {
  /** The first of its `count` sequence numbers. */
  readonly sequence: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/** Bytes between intact records, or after the last one, that are not an intact record. */
export interface DamagedRange {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface SegmentScan {
  readonly records: readonly SegmentRecord[];
  /** Where the last intact record ends. */
  readonly intactBytes: number;
  /** Bytes after it, from an unfinished record; 0 if there are none. */
  readonly tailBytes: number;
  /**
   * Number of damaged ranges between intact records; one range may hide several records whose lengths were
   * damaged.
   */
  readonly corruptedRecords: number;
  readonly corruptedBytes: number;
  /** Those ranges, and finally the bytes counted in `tailBytes`; views into the scanned content. */
  readonly damagedRanges: readonly DamagedRange[];
  /** At least the first sequence number that this segment has not assigned, whatever was damaged. */
  readonly nextSequence: number;
}

/** Encodes the first bytes of a segment. */
export function encodeHeader(base: number): Buffer {
  return encodeHeaderOf(FORMAT, base);
}

function encodeHeaderOf({ magic }: SegmentFormat, base: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  magic.copy(header);
  header.writeBigUInt64LE(BigInt(base), magic.length);
  return header;
}

/** Whether the content begins with the header of that base. */
export function hasHeader(content: Uint8Array, base: number): boolean {
  const header = content.subarray(0, HEADER_BYTES);
  return [FORMAT, EARLIER_FORMAT].some((format) => encodeHeaderOf(format, base).equals(header));
}

/** Encodes consecutive records of the segment with that base. */
export function encodeFrames(
  base: number,
  records: readonly Pick<SegmentRecord, 'count' | 'payload'>[],
): Buffer {
  const { seed } = toChecksumSeed(FORMAT, base);
  const size = records.reduce((sum, { payload }) => sum + FRAME_BYTES + payload.length, 0);
  const bytes = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const { count, payload } of records) {
    bytes.set(payload, offset + FRAME_BYTES);
    offset = completeFrame(bytes, offset, { count, length: payload.length, seed });
  }
  return bytes;
}

/** Writes a record whose payload is text into a buffer that has room for it. @returns where it ends */
export type TextFrameWriter = (
  bytes: Buffer,
  offset: number,
  record: { readonly count: number; readonly text: string },
) => number;

/** For many small records of one segment: what they have in common is calculated once. */
export function createTextFrameWriter(base: number): TextFrameWriter {
  const { seed } = toChecksumSeed(FORMAT, base);
  return (bytes, offset, { count, text }) =>
    completeFrame(bytes, offset, { count, length: bytes.write(text, offset + FRAME_BYTES), seed });
}

/** Writes what stands before a payload. @returns where the record ends */
function completeFrame(
  bytes: Buffer,
  offset: number,
  { count, length, seed }: { readonly count: number; readonly length: number; readonly seed: number },
): number {
  const end = offset + FRAME_BYTES + length;
  bytes.writeUInt32LE(count, offset + 8);
  // For a moment the length stands next to all else that the checksum covers, so that one call calculates it.
  bytes.writeUInt32LE(length, offset + 4);
  bytes.writeUInt32LE(FORMAT.checksum(bytes.subarray(offset + 4, end), seed), offset + 4);
  bytes.writeUInt32LE(length, offset);
  return end;
}

/** Reads all intact records; never throws. Payloads are views into `content`. */
export function scanSegment(content: Uint8Array, base: number): SegmentScan {
  const steps = scanSteps(content, base);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, but yields to the event loop: a checksum over a whole segment takes 15 ms. */
export async function scanSegmentYielding(content: Uint8Array, base: number): Promise<SegmentScan> {
  const steps = scanSteps(content, base);
  let startedMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - startedMs < MAX_BLOCKING_MS) continue;
    await nextTurn();
    startedMs = performance.now();
  }
}

/** Stops after each intact record. */
function* scanSteps(content: Uint8Array, base: number): Generator<void, SegmentScan> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const seed = findChecksumSeed(bytes, base);
  const records: SegmentRecord[] = [];
  const damagedRanges: DamagedRange[] = [];
  let corruptedRecords = 0;
  let corruptedBytes = 0;
  let sequence = base;
  let offset = Math.min(HEADER_BYTES, bytes.length);
  while (offset < bytes.length) {
    const end = findFrameEnd(bytes, offset, seed);
    if (end !== undefined) {
      const count = bytes.readUInt32LE(offset + 8);
      records.push({ sequence, count, payload: bytes.subarray(offset + FRAME_BYTES, end) });
      sequence += count;
      offset = end;
      yield;
      continue;
    }
    const next = findNextFrame(bytes, offset, seed);
    if (next === undefined) break;
    corruptedRecords++;
    corruptedBytes += next - offset;
    damagedRanges.push({ offset, bytes: bytes.subarray(offset, next) });
    // A record takes at most one sequence number per byte, so this is never too low.
    sequence += next - offset;
    offset = next;
  }
  const tailBytes = bytes.length - offset;
  if (tailBytes > 0) damagedRanges.push({ offset, bytes: bytes.subarray(offset) });
  return {
    records,
    intactBytes: offset,
    tailBytes,
    corruptedRecords,
    corruptedBytes,
    damagedRanges,
    nextSequence: sequence + tailBytes,
  };
}

/** How the records of a segment are checked. */
interface ChecksumSeed {
  readonly checksumBytes: SegmentFormat['checksum'];
  readonly seed: number;
}

function toChecksumSeed(format: SegmentFormat, base: number): ChecksumSeed {
  return { checksumBytes: format.checksum, seed: format.checksum(encodeHeaderOf(format, base)) };
}

/** By the first record if the header is damaged, because the records may be intact. */
function findChecksumSeed(bytes: Buffer, base: number): ChecksumSeed {
  const [current, earlier] = [toChecksumSeed(FORMAT, base), toChecksumSeed(EARLIER_FORMAT, base)];
  const magic = bytes.subarray(0, FORMAT.magic.length);
  if (FORMAT.magic.equals(magic)) return current;
  if (EARLIER_FORMAT.magic.equals(magic)) return earlier;
  return findFrameEnd(bytes, HEADER_BYTES, earlier) === undefined ? current : earlier;
}

interface ChecksumInput extends ChecksumSeed {
  readonly length: number;
}

function checksum(bytes: Buffer, offset: number, { checksumBytes, seed, length }: ChecksumInput): number {
  const ofLength = checksumBytes(bytes.subarray(offset, offset + 4), seed);
  return checksumBytes(bytes.subarray(offset + 8, offset + FRAME_BYTES + length), ofLength);
}

function findFrameEnd(bytes: Buffer, offset: number, seed: ChecksumSeed): number | undefined {
  if (offset + FRAME_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32LE(offset);
  const end = offset + FRAME_BYTES + length;
  if (end > bytes.length) return undefined;
  return checksum(bytes, offset, { ...seed, length }) === bytes.readUInt32LE(offset + 4) ? end : undefined;
}

/**
 * Finds the next intact record: right after the length if only the payload was damaged, otherwise by a
 * search.
 */
function findNextFrame(bytes: Buffer, offset: number, seed: ChecksumSeed): number | undefined {
  const stated = offset + FRAME_BYTES + (offset + 4 <= bytes.length ? bytes.readUInt32LE(offset) : 0);
  if (stated < bytes.length && findFrameEnd(bytes, stated, seed) !== undefined) return stated;
  let budget = MAX_SEARCH_BYTES;
  for (let at = offset + 1; at + FRAME_BYTES <= bytes.length && budget > 0; at++) {
    const length = bytes.readUInt32LE(at);
    if (at + FRAME_BYTES + length > bytes.length) continue;
    budget -= FRAME_BYTES + length;
    if (findFrameEnd(bytes, at, seed) !== undefined) return at;
  }
  return undefined;
}

// Segments of earlier versions, which have another checksum, are still read.
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/segment-log/crc32c.ts';
import { encodeFrames, encodeHeader, hasHeader, scanSegment } from '../../src/segment-log/frame.ts';

const BASE = 7;
const TEXTS = ['{"n":1}', '{"n":2}', '{"n":3}'];

/** As version 1 of the format had it: CRC-32C, seeded with the header's. */
function encodeEarlierSegment(): Buffer {
  const header = Buffer.alloc(16);
  header.write('toolseg1', 'latin1');
  header.writeBigUInt64LE(BigInt(BASE), 8);
  const frames = TEXTS.map((text) => {
    const frame = Buffer.alloc(12 + text.length);
    frame.writeUInt32LE(text.length, 0);
    frame.writeUInt32LE(1, 8);
    frame.write(text, 12);
    const checked = Buffer.concat([header, frame.subarray(0, 4), frame.subarray(8)]);
    frame.writeUInt32LE(crc32c(checked), 4);
    return frame;
  });
  return Buffer.concat([header, ...frames]);
}

function encodeSegment(): Buffer {
  const records = TEXTS.map((text) => ({ count: 1, payload: Buffer.from(text) }));
  return Buffer.concat([encodeHeader(BASE), encodeFrames(BASE, records)]);
}

function read(bytes: Uint8Array): string[] {
  return scanSegment(bytes, BASE).records.map(({ payload }) => Buffer.from(payload).toString());
}

function damage(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ 0x10;
  return damaged;
}

const [one, two, three] = TEXTS;

describe('formats of a segment', () => {
  test.each([
    ['the present format', encodeSegment(), [one, two, three], 'it is the present format'],
    ['the earlier format', encodeEarlierSegment(), [one, two, three], 'the format is named in the header'],
    [
      'the present format with a damaged header',
      damage(encodeSegment(), 0),
      [one, two, three],
      'the records are intact, and checked as the present format',
    ],
    [
      'the earlier format with a damaged header',
      damage(encodeEarlierSegment(), 0),
      [one, two, three],
      'the first record tells which checksum it is',
    ],
    [
      'the earlier format with a damaged record',
      damage(encodeEarlierSegment(), 30),
      [two, three],
      'damage is found in the earlier format too',
    ],
  ])('a segment of %s is read as far as it is intact', (_format, bytes, expected, _because) => {
    expect(read(bytes)).toEqual(expected);
  });

  test('the header of either format is that of a segment, if the base is', () => {
    expect(hasHeader(encodeSegment(), BASE)).toBe(true);
    expect(hasHeader(encodeEarlierSegment(), BASE)).toBe(true);
    expect(hasHeader(encodeEarlierSegment(), BASE + 1)).toBe(false);
  });
});

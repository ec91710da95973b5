import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/segment-log/crc32c.ts';

/** One bit at a time, as the definition has it. */
function bitwise(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

describe('CRC-32C', () => {
  test.each([
    [Buffer.from('123456789'), 0xe3069283, 'the check value of the CRC catalogue'],
    [Buffer.alloc(32), 0x8a9136aa, 'RFC 3720 B.4, 32 bytes of zeros'],
    [Buffer.alloc(32, 0xff), 0x62a8ab43, 'RFC 3720 B.4, 32 bytes of ones'],
    [Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e, 'RFC 3720 B.4, 32 rising bytes'],
    [Buffer.alloc(0), 0, 'nothing'],
  ])('the checksum of %o is %i: %s', (bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected);
  });

  test('the checksum agrees with a bitwise implementation, and checksums of parts combine to that of the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, at) => {
        expect(crc32c(bytes)).toBe(bitwise(bytes));
        expect(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)))).toBe(bitwise(bytes));
      }),
    );
  });
});

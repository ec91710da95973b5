// What each kind of damage costs: never more than the records it touches, never a wrong record, and always counted.
import { describe, expect, test } from 'vitest';
import { encodeFrames, encodeHeader, FRAME_BYTES, HEADER_BYTES } from '../../src/segment-log/frame.ts';
import type { DamageHandler, SegmentDamage } from '../../src/segment-log/segment-directory.ts';
import { openSegmentLog } from '../../src/segment-log/segment-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const PATH = '/journal/0000000000000007.seg';
const TEXTS = ['{"n":1}', '{"n":2}', '{"n":3}'];
const RECORD = FRAME_BYTES + 7;
const at = (record: number, byte: number): number => HEADER_BYTES + record * RECORD + byte;

const intact = (): Buffer =>
  Buffer.concat([
    encodeHeader(7),
    encodeFrames(
      7,
      TEXTS.map((text) => ({ count: 1, payload: Buffer.from(text) })),
    ),
  ]);

function flip(...offsets: number[]): Buffer {
  const bytes = intact();
  for (const offset of offsets) bytes[offset] = (bytes[offset] ?? 0) ^ 0x10;
  return bytes;
}

const NO_DAMAGE = { tornBytes: 0, corruptedRecords: 0, corruptedBytes: 0 };
const ONE_SKIPPED = { tornBytes: 0, corruptedRecords: 1, corruptedBytes: RECORD };

interface OpenCase {
  readonly followed: boolean;
  readonly keepDamaged?: DamageHandler;
}

async function openWith(bytes: Uint8Array, { followed, keepDamaged }: OpenCase, disk = new MemoryDisk()) {
  disk.put(PATH, bytes);
  if (followed) disk.put('/journal/0000000000000900.seg', encodeHeader(900));
  const log = await openSegmentLog({
    directory: '/journal',
    fileSystem: disk.mount(),
    clock: new FakeClock(),
    capBytes: 1e9,
    sealAtCount: 100,
    sealAtBytes: 1e6,
    sealAfterMs: 500,
    ...(keepDamaged && { onDamage: keepDamaged }),
  });
  const read = await Promise.all(log.sealed.map((segment) => log.read(segment)));
  const texts = read.flat().map(({ payload }) => Buffer.from(payload).toString());
  return { log, disk, texts };
}

const [one, two, three] = TEXTS;

describe('damage in the last segment', () => {
  test.each([
    ['nothing', intact(), [one, two, three], NO_DAMAGE, 'the file is whole'],
    [
      'its last byte',
      intact().subarray(0, -1),
      [one, two],
      { ...NO_DAMAGE, tornBytes: RECORD - 1 },
      'the third record was never finished',
    ],
    [
      'all but a piece of a frame',
      intact().subarray(0, at(2, 5)),
      [one, two],
      { ...NO_DAMAGE, tornBytes: 5 },
      'not even its length is whole',
    ],
    ['its records', intact().subarray(0, HEADER_BYTES), [], NO_DAMAGE, 'a header alone is an empty segment'],
    [
      'half its header',
      intact().subarray(0, 9),
      [],
      { ...NO_DAMAGE, tornBytes: 9 },
      'the process died while it made the file',
    ],
    ['everything', Buffer.alloc(0), [], NO_DAMAGE, 'a name without bytes is an empty segment'],
    [
      'its end to zeros',
      Buffer.concat([intact(), Buffer.alloc(64)]),
      [one, two, three],
      { ...NO_DAMAGE, tornBytes: 64 },
      'a length was made durable before the bytes',
    ],
    [
      'its end to noise',
      Buffer.concat([intact(), Buffer.alloc(64, 0xa5)]),
      [one, two, three],
      { ...NO_DAMAGE, tornBytes: 64 },
      'blocks of something else',
    ],
    [
      'a byte of a payload',
      flip(at(0, FRAME_BYTES + 3)),
      [two, three],
      ONE_SKIPPED,
      'its length still leads to the next record',
    ],
    ['a checksum', flip(at(1, 5)), [one, three], ONE_SKIPPED, 'its length still leads to the next record'],
    ['a count', flip(at(1, 8)), [one, three], ONE_SKIPPED, 'the checksum covers it'],
    ['a length', flip(at(1, 0)), [one, three], ONE_SKIPPED, 'the next record is searched for'],
    [
      'a length to far behind the end',
      flip(at(1, 3)),
      [one, three],
      ONE_SKIPPED,
      'the next record is searched for',
    ],
    [
      'two neighbours',
      flip(at(0, 13), at(1, 13)),
      [three],
      { ...ONE_SKIPPED, corruptedBytes: 2 * RECORD },
      'one stretch, whatever it held',
    ],
    [
      'the last record',
      flip(at(2, 15)),
      [one, two],
      { ...NO_DAMAGE, tornBytes: RECORD },
      'nothing follows it, so it may as well be unfinished',
    ],
    [
      'a header',
      flip(3),
      [one, two, three],
      NO_DAMAGE,
      'records are checked against the name, not against the header',
    ],
  ])(
    'reading a last segment with damage to %s loses only the damaged records',
    async (_what, bytes, expected, damage, _because) => {
      const { log, texts } = await openWith(bytes, { followed: false });
      expect(texts).toEqual(expected);
      expect(log.damage).toEqual(damage);
      expect(log.nextSequence).toBeGreaterThanOrEqual(7 + (bytes.length > at(2, 0) ? 3 : 0));
    },
  );

  test('a torn tail is cut off the file and reported only once', async () => {
    const { disk, log } = await openWith(intact().subarray(0, -1), { followed: false });
    expect(disk.get(PATH).length).toBe(at(2, 0));
    expect(log.sealed).toEqual([{ base: 7, bytes: at(2, 0) }]);
  });
});

describe('damage in an earlier segment', () => {
  test.each([
    ['a payload', flip(at(1, 14)), [one, three], ONE_SKIPPED],
    ['the last record', flip(at(2, 15)), [one, two], ONE_SKIPPED],
    ['its end', intact().subarray(0, -2), [one, two], { ...ONE_SKIPPED, corruptedBytes: RECORD - 2 }],
  ])(
    'an earlier segment with damage in %s is read around the damage, and its file is unchanged',
    async (_what, bytes, expected, damage) => {
      const { log, disk, texts } = await openWith(bytes, { followed: true });
      expect(texts).toEqual(expected);
      expect(log.damage).toEqual(damage);
      const [segment] = log.sealed;
      if (!segment) throw new Error('the segment is gone');
      await log.read(segment);
      expect(log.damage).toEqual(damage);
      expect(disk.get(PATH).equals(bytes)).toBe(true);
      expect(log.nextSequence).toBe(900);
    },
  );

  test('an earlier segment without records is deleted', async () => {
    const { disk } = await openWith(encodeHeader(7), { followed: true });
    expect(disk.paths()).toEqual(['/journal/0000000000000900.seg']);
  });

  test('an earlier segment with the bytes of another segment returns no records', async () => {
    const stranger = Buffer.concat([
      encodeHeader(7),
      encodeFrames(8, [{ count: 1, payload: Buffer.from('x') }]),
    ]);
    const { texts } = await openWith(stranger, { followed: true });
    expect(texts).toEqual([]);
  });
});

describe('reported damage', () => {
  test.each([
    ['torn', intact().subarray(0, -1), false, 2, 'what is cut off the last segment'],
    ['corrupted', flip(at(1, 14)), false, 1, 'what is skipped in the last segment'],
    ['corrupted', flip(at(1, 14)), true, 1, 'what is skipped in an earlier one'],
    ['corrupted', flip(at(2, 14)), true, 2, 'the end of an earlier one, which was whole once'],
  ] as const)(
    'damaged bytes are reported as %s for %o (followed: %s): record %i, %s',
    async (kind, bytes, followed, record, _because) => {
      const kept: SegmentDamage[] = [];
      await openWith(bytes, { followed, keepDamaged: async (piece) => void kept.push(piece) });
      const end = Math.min(at(record + 1, 0), bytes.length);
      expect(kept).toEqual([
        { base: 7, offset: at(record, 0), bytes: bytes.subarray(at(record, 0), end), kind },
      ]);
    },
  );

  test('damaged bytes stay in the file as long as they cannot be copied to the quarantine', async () => {
    const disk = new MemoryDisk();
    const bytes = intact().subarray(0, -1);
    const refusing = openWith(
      bytes,
      { followed: false, keepDamaged: () => Promise.reject(new Error('no room')) },
      disk,
    );
    await expect(refusing).rejects.toThrow('no room');
    expect(disk.get(PATH).equals(bytes)).toBe(true);
  });
});

test('files with other names in the directory are left alone', async () => {
  const disk = new MemoryDisk();
  disk.put('/journal/node-id', Buffer.from('abc'));
  disk.put('/journal/1.seg', Buffer.from('abc'));
  await openSegmentLog({
    directory: '/journal',
    fileSystem: disk.mount(),
    capBytes: 1e9,
    sealAtCount: 100,
    sealAtBytes: 1e6,
    sealAfterMs: 500,
    clock: new FakeClock(),
  });
  expect(disk.paths()).toContain('/journal/node-id');
  expect(disk.paths()).toContain('/journal/1.seg');
});

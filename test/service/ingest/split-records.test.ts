import { describe, expect, test } from 'vitest';
import { SplitRecords } from '../../../src/service/ingest/split-records.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const open = (disk: MemoryDisk, ...bases: number[]) =>
  SplitRecords.open(
    '/journal',
    disk.mount(),
    bases.map((base) => ({ base, bytes: 0 })),
  );

describe('split records', () => {
  test('a split is recorded for its segment, and survives a power cut as soon as it is reported', async () => {
    const disk = new MemoryDisk();
    const before = (await open(disk, 7)).of(7);
    await before.add('a');
    await before.add('a-0-2');
    disk.crash();
    const records = await open(disk, 7, 9);
    expect(['a', 'a-0-2', 'a-2-4'].map(records.of(7).has)).toEqual([true, true, false]);
    expect(records.of(9).has('a')).toBe(false);
  });

  test('a split that could not be written is not recorded', async () => {
    const disk = new MemoryDisk();
    const record = (await open(disk, 7)).of(7);
    disk.fill();
    await expect(record.add('a')).rejects.toThrow('ENOSPC');
    expect(record.has('a')).toBe(false);
    disk.free();
    await record.add('a');
    expect(record.has('a')).toBe(true);
  });

  test('a split record is deleted with its segment, at once or at the next opening', async () => {
    const disk = new MemoryDisk();
    const records = await open(disk, 7, 9);
    await records.of(7).add('a');
    await records.of(9).add('b');
    await records.forget(7);
    expect(disk.paths()).toEqual(['/journal/9.split']);
    expect((await open(disk)).of(9).has('b')).toBe(false);
    expect(disk.paths()).toEqual([]);
  });
});

// A backup into the directory that is backed up: refused by whatever way it is named, before anything is written.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareBackupTarget } from '../../../src/service/maintenance/backup-target.ts';

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-target-'));
  data = join(folder, 'data');
  mkdirSync(join(data, 'journal'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('refused backup target', () => {
  test.each([
    ['itself', () => data, 'it is the directory'],
    ['a new directory below', () => join(data, 'copy'), 'it is below'],
    ['a name that begins with two dots', () => join(data, '..copy'), 'two dots alone lead upwards'],
    ['a way down and up again', () => `${folder}/other/../data/copy`, '".." is taken away first'],
    ['a way through what is not there', () => `${data}/none/../../data/copy`, '".." is taken away first'],
    [
      'a link to it',
      () => {
        symlinkSync(data, join(folder, 'link'));
        return join(folder, 'link', 'copy');
      },
      'a link is followed',
    ],
    [
      'a link to a directory in it',
      () => {
        symlinkSync(join(data, 'journal'), join(folder, 'link'));
        return join(folder, 'link', 'deep', 'copy');
      },
      'a link is followed',
    ],
    [
      'a link to a link',
      () => {
        symlinkSync(data, join(folder, 'one'));
        symlinkSync(join(folder, 'one'), join(folder, 'two'));
        return join(folder, 'two');
      },
      'links are followed to their end',
    ],
  ])('the backup target %s is refused and nothing is written, because %s', async (_what, make, _because) => {
    const target = make();
    await expect(prepareBackupTarget(target, data)).rejects.toMatchObject({
      code: 'INVALID_BODY',
      message: expect.stringContaining('lies in the data directory'),
    });
    expect([readdirSync(data), readdirSync(join(data, 'journal'))]).toEqual([['journal'], []]);
  });

  test('the data directory mounted at another path is refused as a backup target', async () => {
    const mounted = join(folder, 'mounted');
    mkdirSync(mounted);
    execFileSync('mount', ['--bind', data, mounted]);
    try {
      await expect(prepareBackupTarget(join(mounted, 'copy'), data)).rejects.toMatchObject({
        code: 'INVALID_BODY',
      });
    } finally {
      execFileSync('umount', [mounted]);
    }
    expect(readdirSync(data)).toEqual(['journal']);
  });

  test('a directory that is not empty and a path through a file are refused as backup targets', async () => {
    const full = join(folder, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'file'), 'x');
    await expect(prepareBackupTarget(full, data)).rejects.toMatchObject({
      message: expect.stringContaining('is not empty'),
    });
    await expect(prepareBackupTarget(join(full, 'file', 'below'), data)).rejects.toMatchObject({
      message: expect.stringContaining('cannot be used (ENOTDIR)'),
    });
  });
});

describe('accepted backup target', () => {
  test.each([
    ['beside it', () => join(folder, 'data-copy'), 'a common beginning of two names says nothing'],
    ['above it', () => join(folder, 'x', 'y'), 'it is made'],
    [
      'by a link that leads out of it',
      () => {
        mkdirSync(join(folder, 'outside'));
        symlinkSync(join(folder, 'outside'), join(data, 'way-out'));
        return join(data, 'way-out', 'copy');
      },
      'where it lies counts, not how it is named',
    ],
  ])('a backup target %s is accepted, because %s', async (_where, make, _because) => {
    const target = await prepareBackupTarget(make(), data);
    expect(readdirSync(target)).toEqual([]);
  });
});

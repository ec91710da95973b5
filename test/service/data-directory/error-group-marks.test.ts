// The marks of error groups on disk: one for each group, bounded, and there after a restart.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredErrorGroupMark } from '../../../src/contract/error-groups.ts';
import { NODE_FILE_SYSTEM } from '../../../src/segment-log/file-system.ts';
import { ErrorGroupMarks, MAX_MARKS } from '../../../src/service/data-directory/error-group-marks.ts';
import { isStateFile } from '../../../src/service/maintenance/backup-files.ts';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'toolscope-marks-'));
});
afterEach(() => {
  rmSync(dataDirectory, { recursive: true, force: true });
});

const open = () => new ErrorGroupMarks({ dataDirectory, fileSystem: NODE_FILE_SYSTEM });
const createMark = (id: string, mark: StoredErrorGroupMark['mark']): StoredErrorGroupMark => ({
  ...{ id, mark, at: '2026-11-24T01:00:00.000Z', author: 'ana', comment: '', version: '' },
  ...{ until: null, untilCount: null, olderVersions: [] },
});
const write = (marks: readonly StoredErrorGroupMark[]) =>
  writeFileSync(join(dataDirectory, 'error-groups.json'), JSON.stringify({ marks }));
const numbers = Array.from({ length: MAX_MARKS }, (_, at) => at);

describe('marks of error groups', () => {
  test('the last mark of a group is kept, with its author, also by another process', async () => {
    const marks = open();
    await Promise.all([marks.set(createMark('a', 'resolved')), marks.set(createMark('b', 'ignored'))]);
    await marks.set(createMark('a', 'open'));
    expect((await open().list()).map(({ id, mark, author }) => [id, mark, author])).toEqual([
      ['b', 'ignored', 'ana'],
      ['a', 'open', 'ana'],
    ]);
  });

  test('at the limit the oldest mark of an open group is dropped, because it says nothing', async () => {
    write(numbers.map((at) => createMark(String(at), at === 7 || at === 9 ? 'open' : 'resolved')));
    await open().set(createMark('new', 'resolved'));
    const ids = new Set((await open().list()).map(({ id }) => id));
    expect([ids.size, ids.has('7'), ids.has('9'), ids.has('new')]).toEqual([MAX_MARKS, false, true, true]);
  });

  test('beyond the limit a mark is refused, and the others stay', async () => {
    write(numbers.map((at) => createMark(String(at), 'resolved')));
    await expect(open().set(createMark('new', 'resolved'))).rejects.toMatchObject({ code: 'INVALID_BODY' });
    expect(await open().list()).toHaveLength(MAX_MARKS);
  });

  test('a backup has the file, and a restore accepts it', () => {
    expect(isStateFile('error-groups.json')).toBe(true);
  });
});

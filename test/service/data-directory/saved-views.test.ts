// Saved views on disk: names are unique, changes at the same time are all kept, and a damaged file is no failure.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SavedViewBody } from '../../../src/contract/saved-views.ts';
import { NODE_FILE_SYSTEM } from '../../../src/segment-log/file-system.ts';
import { SavedViews } from '../../../src/service/data-directory/saved-views.ts';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'toolscope-views-'));
});
afterEach(() => {
  rmSync(dataDirectory, { recursive: true, force: true });
});

const open = () => new SavedViews({ dataDirectory, fileSystem: NODE_FILE_SYSTEM, now: () => 0 });
const listed = async () => (await open().list()).map(({ name, path }) => [name, path]);

describe('saved views', () => {
  test('views that are saved at the same time are all kept, by name, and survive a restart', async () => {
    const views = open();
    await Promise.all(['b', 'c', 'a'].map((name) => views.add({ name, path: `/calls?tool=${name}` })));
    expect(await listed()).toEqual([
      ['a', '/calls?tool=a'],
      ['b', '/calls?tool=b'],
      ['c', '/calls?tool=c'],
    ]);
  });

  test('a view of the same name is replaced, and a removed one is gone', async () => {
    const views = open();
    await views.add({ name: 'errors', path: '/calls' });
    const { id } = await views.add({ name: 'errors', path: '/tools' });
    expect(await listed()).toEqual([['errors', '/tools']]);
    await views.remove(id);
    await views.remove('unknown');
    expect(await listed()).toEqual([]);
  });

  test('a damaged file lists nothing, and the next view replaces it', async () => {
    writeFileSync(join(dataDirectory, 'saved-views.json'), '{"views":[{"path":"//elsewhere"}]}');
    expect(await listed()).toEqual([]);
    await open().add({ name: 'errors', path: '/calls' });
    expect(await listed()).toEqual([['errors', '/calls']]);
  });

  test('more than two hundred views are refused, so that the file stays small', async () => {
    const views = open();
    const createdAt = new Date(0).toISOString();
    const saved = Array.from({ length: 200 }, (_, at) => ({
      ...{ id: String(at), name: `view ${at}`, path: '/', createdAt },
    }));
    writeFileSync(join(dataDirectory, 'saved-views.json'), JSON.stringify({ views: saved }));
    await expect(views.add({ name: 'one more', path: '/' })).rejects.toMatchObject({ code: 'INVALID_BODY' });
    await views.add({ name: 'view 7', path: '/tools' });
    expect(await views.list()).toHaveLength(200);
  });

  test.each([
    ['//evil.example/x', 'it is another site'],
    ['/\\evil.example', 'browsers read a backslash as a slash'],
    ['https://evil.example', 'it is an address'],
    ['javascript:alert(1)', 'it is a script'],
    ['', 'it is empty'],
  ])('the path %j is refused, because %s', (path) => {
    expect(SavedViewBody.safeParse({ name: 'x', path }).success).toBe(false);
  });
});

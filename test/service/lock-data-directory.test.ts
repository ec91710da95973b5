import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockDataDirectory } from '../../src/service/lock-data-directory.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'toolscope-lock-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}

test('one process holds a directory, and the next is told which', async () => {
  const path = directory();
  await lockDataDirectory(path);
  await expect(lockDataDirectory(path, 0)).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_LOCKED',
    message: expect.stringMatching(
      new RegExp(
        `^Process ${process.pid} holds the data directory ${path} since \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z\\.`,
      ),
    ),
    hint: expect.stringMatching(new RegExp(`kill ${process.pid}.*--data-dir`)),
  });
});

test('who waits gets it as soon as the other lets go', async () => {
  const path = directory();
  const unlock = await lockDataDirectory(path);
  const waiting = lockDataDirectory(path, 5_000);
  unlock();
  const unlockSecond = await waiting;
  expect(existsSync(join(path, 'service.lock'))).toBe(true);
  unlockSecond();
  expect(existsSync(join(path, 'service.lock'))).toBe(false);
});

test.each<[string, string, () => Promise<string> | string]>([
  ['a process that has ended', 'it was killed', async () => `${await endedProcess()} 1\n`],
  ['a process id in use again', 'it is another process now', () => `${process.pid} 1\n`],
  ['nobody', 'nobody can be asked', () => ''],
  ['no process id', 'it is none of ours', () => 'hello\n'],
])('a lock of %s holds nothing, because %s', async (_who, _because, content) => {
  const path = directory();
  writeFileSync(join(path, 'service.lock'), await content());
  await lockDataDirectory(path, 0);
  expect(readFileSync(join(path, 'service.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
});

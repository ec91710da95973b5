// The lock of a data directory, between real processes: of one container and of several, of one user and of two.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findLockHolder } from '../../../src/service/data-directory/directory-lock.ts';
import { lockDataDirectory } from '../../../src/service/data-directory/lock-data-directory.ts';
import { buildPrograms } from '../../support/built-program.ts';
import { type Isolation, isolatedCommand, OTHER_USER } from '../../support/isolated-command.ts';

const CONTENDER = fileURLToPath(new URL('fixtures/lock-contender.ts', import.meta.url));
const programs = mkdtempSync(join(tmpdir(), 'toolscope-lock-program-'));
const contender = join(programs, 'contender.mjs');

beforeAll(async () => {
  const built = await buildPrograms([CONTENDER]);
  copyFileSync(built.pathOf(CONTENDER), contender);
  built.remove();
  // Another user runs it too.
  chmodSync(programs, 0o755);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** That every user may write, as a mounted volume may be. */
function directory(name = 'data'): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolscope-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
  return path;
}

function start(place: Isolation, args: readonly string[]): ChildProcess {
  const command = isolatedCommand(place, [contender, ...args]);
  const child = spawn(command.file, command.args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** A process that holds the lock until it is killed. */
async function startHolder(place: Isolation, path: string): Promise<ChildProcess> {
  const child = start(place, [path, '0', 'hold']);
  if (!child.stdout) throw new Error('the pipe was asked for');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  expect(JSON.parse(String(line))).toMatchObject({ held: true });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

test('one process holds the lock of a data directory, and the next one learns which process that is', async () => {
  const path = directory();
  const release = await lockDataDirectory(path);
  onTestFinished(release);
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

test('a process that waits for the lock gets it as soon as it is released', async () => {
  const path = directory();
  const release = await lockDataDirectory(path);
  const waiting = lockDataDirectory(path, 5_000);
  expect(await findLockHolder(path)).toMatchObject({ holder: { process: { pid: process.pid } } });
  release();
  (await waiting)();
  expect(await findLockHolder(path)).toBeUndefined();
});

test('a data directory that was never locked, or does not exist, has no lock holder', async () => {
  expect(await findLockHolder(directory())).toBeUndefined();
  expect(await findLockHolder('/nowhere/at/all')).toBeUndefined();
});

test('a data directory whose path exceeds the length of a socket address can be locked', async () => {
  const path = directory(join(...Array.from({ length: 12 }, () => 'twenty-letters-a-part')));
  const release = await lockDataDirectory(path, 0);
  onTestFinished(release);
  await expect(lockDataDirectory(path, 0)).rejects.toMatchObject({ code: 'DATA_DIRECTORY_LOCKED' });
});

test('files of earlier holders and killed contenders do not accumulate in the data directory', async () => {
  const path = directory();
  const draft = join(path, `service.lock.${'0'.repeat(16)}.draft`);
  writeFileSync(draft, '');
  utimesSync(draft, 0, 0);
  for (let round = 0; round < 5; round += 1) (await lockDataDirectory(path, 0))();
  expect(readdirSync(path)).toEqual(['service.lock.5']);
});

test.each([
  ['hello\n', 'it was left by a copy that makes files of sockets'],
  ['', 'no process listens on a file'],
])('a plain file %j in place of the lock socket holds no lock, because %s', async (content) => {
  const path = directory();
  writeFileSync(join(path, 'service.lock.3'), content);
  const release = await lockDataDirectory(path, 0);
  expect(readdirSync(path)).toEqual(['service.lock.4']);
  release();
});

const ISOLATION_CASES: readonly [Isolation, RegExp, string][] = [
  ['this PID namespace', /^Process \d+ holds/, 'its pid can be found here'],
  [
    'another PID namespace',
    /^Process 1 in another PID namespace \(a container\? its host name is ".*"\) holds/,
    'its pid is a stranger’s here',
  ],
  ['another network namespace', /^Process \d+ holds/, 'a socket is found by its path'],
  ['another user', /^Process \d+ holds/, 'who reaches the directory may ask'],
];

describe.each(ISOLATION_CASES)('lock holder in %s', (place, message) => {
  test('a lock holder keeps other processes out while it lives, is named, and loses the lock with its process', async () => {
    const path = directory();
    const holder = await startHolder(place, path);
    // Again and again: what is refused leaves the lock as it was.
    for (let round = 0; round < 3; round += 1) {
      await expect(lockDataDirectory(path, 0)).rejects.toMatchObject({
        code: 'DATA_DIRECTORY_LOCKED',
        message: expect.stringMatching(message),
      });
    }
    await kill(holder);
    const release = await lockDataDirectory(path, 10_000);
    release();
  });

  test('a lock holder is kept out by a holder in this process', async () => {
    const path = directory();
    const release = await lockDataDirectory(path, 0);
    onTestFinished(release);
    const other = start(place, [path, String(Date.now() + 1_500)]);
    let taken = '';
    other.stdout?.on('data', (bytes: Buffer) => {
      taken += bytes.toString();
    });
    const [code] = await once(other, 'close');
    expect([code, taken]).toEqual([0, '']);
  });
});

test('a stopped process still holds its lock, and its successor need not know its name', async () => {
  const path = directory();
  const holder = await startHolder('this PID namespace', path);
  holder.kill('SIGSTOP');
  await expect(lockDataDirectory(path, 0)).rejects.toMatchObject({
    message: expect.stringMatching(/^Another process holds the data directory/),
  });
  await kill(holder);
});

test('many contenders for the lock that are killed at random moments never produce two holders', async () => {
  const path = directory();
  writeFileSync(join(path, 'referee'), '', { mode: 0o666 });
  // A bound of what hangs: it ends as soon as enough was taken, by everybody and over enough dead ones.
  const until = Date.now() + 90_000;
  const places: readonly Isolation[] = [
    ...Array.from({ length: 5 }, () => 'this PID namespace' as const),
    ...Array.from({ length: 2 }, () => 'another PID namespace' as const),
    ...Array.from({ length: 2 }, () => 'another user' as const),
  ];
  const taken: { alone: boolean; uid: number; pid: number }[] = [];
  let killed = 0;
  const isEnough = (): boolean =>
    taken.length >= 150 &&
    killed >= 3 &&
    taken.some(({ uid }) => uid === OTHER_USER) &&
    taken.some(({ pid }) => pid === 1);
  const run = async (place: Isolation): Promise<void> => {
    while (Date.now() < until && !isEnough()) {
      const child = start(place, [path, String(until)]);
      if (!child.stdout) throw new Error('the pipe was asked for');
      createInterface({ input: child.stdout }).on('line', (line) => {
        taken.push(JSON.parse(line));
        if (isEnough()) writeFileSync(join(path, 'stop'), '');
      });
      const [code, signal] = await once(child, 'close');
      // `unshare` says by 137 that its child was killed.
      if (signal === 'SIGKILL' || code === 137) killed += 1;
      else expect([place, code]).toEqual([place, 0]);
    }
  };
  await Promise.all(places.map(run));
  expect(taken.filter(({ alone }) => !alone)).toEqual([]);
  expect(isEnough()).toBe(true);
});

// A disk that is really full: a small file system of its own, in a mount namespace of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { buildPrograms } from '../../support/built-program.ts';
import { createSpoolDirectory } from './spool-directory.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/full-disk.ts', import.meta.url));

test('a spool on a full disk leaves no descriptor, file or partial record behind, and works again when there is space', async () => {
  const programs = await buildPrograms([PROGRAM]);
  onTestFinished(() => programs.remove());
  const directory = createSpoolDirectory();
  const command = `mount -t tmpfs -o size=32k tmpfs "$1" && exec "$2" "$3" "$1"`;
  const { stdout } = await promisify(execFile)('unshare', [
    ...['--mount', 'timeout', '60', 'sh', '-c', command, 'sh'],
    ...[directory, process.execPath, programs.pathOf(PROGRAM)],
  ]);
  // One segment is there: the first call's.
  expect(JSON.parse(stdout)).toEqual({
    open: 0,
    segments: 1,
    kept: 1,
    lost: 0,
    trouble: 61,
    again: true,
  });
});

// A diagnostic line costs the host nothing, whatever its stderr is: real descriptors, opened by a shell.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltPrograms, buildPrograms } from '../../support/built-program.ts';
import { createSpoolDirectory } from './spool-directory.ts';

const WRITER = fileURLToPath(new URL('fixtures/stderr-writer.ts', import.meta.url));
let programs: BuiltPrograms;

beforeAll(async () => {
  programs = await buildPrograms([WRITER]);
});

afterAll(() => programs.remove());

/** Runs the writer under a redirection of bash; a writer that waits is ended after four seconds. */
async function run(
  redirection: string,
  mode = '',
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const command = `timeout 4 "${process.execPath}" "${programs.pathOf(WRITER)}" ${mode} ${redirection}`;
  return promisify(execFile)('bash', ['-c', command]);
}

describe('diagnostic line on stderr', () => {
  test.each<[string, string, string, string]>([
    ['a pipe that is read', '', '', 'first\nsecond\n'],
    ['a pipe that nobody reads any more', '2> >(exec true)', '', ''],
    ['a full pipe', '2> >(exec sleep 8 >/dev/null 2>&1)', 'full', ''],
    ['a closed descriptor', '2>&-', '', ''],
    ['a full device', '2>/dev/full', '', ''],
  ])(
    'a diagnostic line written to %s does not block or end the process',
    async (_stderr, redirection, mode, said) => {
      const { stdout, stderr } = await run(redirection, mode);
      expect([stdout, stderr]).toEqual(['alive', said]);
    },
  );

  test('a diagnostic line is appended to the content of a file', async () => {
    const file = join(createSpoolDirectory(), 'log');
    await run(`2>"${file}"; echo third >>"${file}"`);
    expect(readFileSync(file, 'utf8')).toBe('first\nsecond\nthird\n');
  });
});

// What the demo's command says to who types it wrong.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/demo/main.js', import.meta.url));
const run = (args: readonly string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

describe('demo command line', () => {
  test.each([
    [['--port', 'x'], /'x' is invalid. It is a number from 1 to 65535/, 'it is no number'],
    [['--port', '0'], /'0' is invalid/, 'nobody could find it'],
    [['--port', '65536'], /'65536' is invalid/, 'there is none'],
    [['--chekc'], /unknown option '--chekc'[\s\S]*--check/, 'what was meant is near'],
    [['check'], /too many arguments/, 'it takes none'],
  ])('the demo with %j exits at once and prints %s because %s', async (args, words) => {
    await expect(run(args)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(words),
    });
  });

  test('--help of the demo lists its options', async () => {
    expect((await run(['--help'])).stdout).toMatch(/--check[\s\S]*--no-history[\s\S]*--port <number>/);
  });
});

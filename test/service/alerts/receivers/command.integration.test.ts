// A command of the operator's as a receiver, run for real.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../../../src/service/alerts/receivers/command.ts';
import { createTestDirectory } from '../open-test-alerts.ts';
import { sampleMessage } from './sample-message.ts';

const NODE = process.execPath;

function run(command: readonly [string, ...string[]], { timeoutMs = 60_000, allowedCommands = [NODE] } = {}) {
  return runCommand(
    { name: 'page', type: 'command', command, environment: { PATH: '/usr/bin' } },
    { id: 'f00d', message: sampleMessage(), signal: new AbortController().signal },
    { externalUrl: 'https://t.example.com', timeoutMs, allowedCommands },
  );
}

test('a command reads the alert on standard input, gets its arguments as they are, and no variable of the service', async () => {
  const file = join(createTestDirectory(), 'seen.json');
  const script = `const input = require('node:fs').readFileSync(0, 'utf8');
    require('node:fs').writeFileSync(process.argv[1], JSON.stringify({ input, args: process.argv.slice(2), env: process.env }));`;
  const result = await run([NODE, '-e', script, file, '$(id); `id`']);
  expect(result).toEqual({ status: 'delivered', httpStatus: null });
  const seen = JSON.parse(readFileSync(file, 'utf8'));
  expect(JSON.parse(seen.input)).toMatchObject({ version: '4', status: 'firing', receiver: 'page' });
  expect(seen.args).toEqual(['$(id); `id`']);
  expect(seen.env).toEqual({ PATH: '/usr/bin', TOOLSCOPE_NOTIFICATION_ID: 'f00d' });
});

test.each([
  [
    'process.exit(3)',
    { status: 'retry', reason: 'The command ended with exit status 3.' },
    'it may work later',
  ],
  ['process.stdin.destroy()', { status: 'delivered' }, 'it need not read its input'],
])('a command %s is %j because %s', async (script, expected, _because) => {
  expect(await run([NODE, '-e', script])).toMatchObject(expected);
});

test('a command that does not end is ended with everything it started', async () => {
  const file = join(createTestDirectory(), 'pid');
  writeFileSync(file, '');
  const script = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    require('node:fs').writeFileSync(process.argv[1], String(child.pid)); setInterval(() => {}, 1000);`;
  const result = await run([NODE, '-e', script, file], { timeoutMs: 3_000 });
  expect(result).toMatchObject({ status: 'retry', reason: 'The command did not end within 3 s.' });
  const pid = Number(readFileSync(file, 'utf8'));
  if (pid > 0) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000 });
});

test('a program that is not allowed, or does not exist, is not run', async () => {
  expect(await run([NODE, '-e', ''], { allowedCommands: [] })).toMatchObject({ status: 'failed' });
  const missing = '/nowhere/to-be-found';
  expect(await run([missing], { allowedCommands: [missing] })).toMatchObject({
    status: 'failed',
    reason: 'The command could not be started (ENOENT).',
  });
});

// What a server could not deliver before it ended reaches the service without another server.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  countSpooledCalls,
  createSpoolDirectory,
  listSegments,
} from '../instrumentation/exporter/spool-directory.ts';
import { startCli } from './run-cli.ts';

const PRODUCER = fileURLToPath(new URL('../instrumentation/exporter/fixtures/producer.ts', import.meta.url));

async function spoolCalls(url: string, directory: string): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', PRODUCER, url, directory, '0', '40', 'exit'], {
    stdio: 'ignore',
  });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
}

test('toolscope up imports the spool of an ended server, also one whose endpoint is localhost', async () => {
  const directory = createSpoolDirectory();
  const home = createSpoolDirectory();
  const environment = { PATH: process.env['PATH'] ?? '', HOME: home, TOOLSCOPE_SPOOL_DIR: directory };
  const run = startCli(['up', '--port', '0', '--json'], environment);
  await expect.poll(() => run.said.stdout, { timeout: 45_000 }).toMatch(/\n$/);
  const { url, port } = JSON.parse(run.said.stdout);
  await spoolCalls(`http://localhost:${port}/v1/traces`, directory);
  await expect.poll(() => listSegments(directory), { timeout: 45_000 }).toEqual([]);
  await expect.poll(() => fetch(`${url}/metrics`).then((answer) => answer.text())).toMatch(/ 40\n/);
  // Another service's calls are none of its business.
  await spoolCalls(`http://127.0.0.1:${port}/elsewhere/v1/traces`, directory);
  await spoolCalls(`${url}/v1/traces`, directory);
  await expect.poll(() => countSpooledCalls(directory), { timeout: 45_000 }).toBe(40);
  run.child.kill('SIGTERM');
  expect((await run.ended).code).toBe(0);
}, 120_000);

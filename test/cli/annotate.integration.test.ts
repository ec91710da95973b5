// An annotation from the command line reaches the charts of the running service; without a service, the command fails.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnnotationRow, AnnotationsResponse } from '../../src/contract/changes.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { cleanEnvironment, startCli } from './run-cli.ts';

const folder = createServiceFolder();
const data = join(folder, 'data');
const run = (...args: string[]) => startCli(['annotate', ...args], cleanEnvironment({})).ended;

let runningService: InProcessService | undefined;

beforeAll(async () => {
  runningService = await startInProcessService(folder);
}, 60_000);

afterAll(async () => {
  await runningService?.close();
  removeServiceFolder(folder);
});

test('toolscope annotate creates an annotation that the service returns', async () => {
  const { code, stdout, stderr } = await run(
    'v1.4.3',
    '--server',
    'notes',
    '--at',
    'now-5m',
    '--data-dir',
    data,
    '--json',
  );
  expect(code, stderr).toBe(0);
  const row = AnnotationRow.parse(JSON.parse(stdout));
  expect(row).toMatchObject({ text: 'v1.4.3', kind: 'deploy', server: 'notes' });
  const response = await fetch(`${runningService?.url}/api/v1/annotations?from=now-1h`);
  expect(AnnotationsResponse.parse(await response.json()).annotations).toEqual([row]);
}, 30_000);

test('an annotation that the service refuses is reported with its invalid field', async () => {
  const { code, stderr } = await run('x', '--kind', 'party', '--data-dir', data);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/kind/);
}, 30_000);

test('toolscope annotate fails with a message when no service runs', async () => {
  const { code, stderr } = await run('x', '--data-dir', join(folder, 'nobody'));
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/No service runs/);
}, 30_000);

// `toolscope journal` as a person runs it, on a directory that a service holds and on one that none does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { lockDataDirectory } from '../../src/service/data-directory/lock-data-directory.ts';
import { listQuarantine } from '../../src/service/ingest/quarantine.ts';
import { toQuarantineLocation } from '../../src/service/ingest/read-journal.ts';
import { type IngestHarness, startIngestHarness, until } from '../service/ingest/harness.ts';
import { toJson, toolCall } from '../service/ingest/otlp-document.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

let harness: IngestHarness;
let id: string;

beforeEach(async () => {
  harness = await startIngestHarness({ clock: new FakeClock(Date.now()) });
  harness.sink.script.push({ status: 'refused', reason: 'The store answered NO (1), at duration_us' });
  await harness.post(toJson([1, 2].map((n) => toolCall(n, harness.clock.now()))));
  await harness.clock.advance(500);
  await until(() => harness.ingest.pendingCalls === 0);
  const [entry] = await listQuarantine(toQuarantineLocation(harness.dataDirectory));
  id = entry?.id ?? '';
});
afterEach(() => harness.end());

const run = (...args: string[]) => runInProcess(['journal', ...args, '--data-dir', harness.dataDirectory]);
/** As another process than the service's, for what the two leave each other in files. */
const runInOwnProcess = (...args: string[]) =>
  startCli(['journal', ...args, '--data-dir', harness.dataDirectory]).ended;

test('journal list shows pending and quarantined entries as text and as JSON', async () => {
  await harness.ingest.holdWrites();
  await harness.post(toJson([toolCall(3, harness.clock.now())]));
  await harness.clock.advance(500);
  const [text, json] = await Promise.all([run('list'), run('list', '--json')]);
  expect([text.code, json.code]).toEqual([0, 0]);
  expect(text.stdout).toMatch(
    /Waiting for the store \(1\):\n {2}segment 3 {2}1 calls in 1 rows, \d{3} B, for \d+ s\n/,
  );
  expect(text.stdout).toContain(`In quarantine (1):\n  ${id}  2 rows, `);
  expect(text.stdout).toContain('    The store answered NO (1), at duration_us\n');
  expect(JSON.parse(json.stdout)).toMatchObject({
    pending: [{ segment: 3, calls: 1, rows: 1, bytes: expect.any(Number), ageMs: expect.any(Number) }],
    quarantine: [{ id, kind: 'refused', rows: 2, isAsked: false }],
  });
});

describe('toolscope journal replay', () => {
  test('replay sends the rows through the service that holds the data directory', async () => {
    onTestFinished(await lockDataDirectory(harness.dataDirectory, 0));
    const { code, stdout } = await runInOwnProcess('replay');
    expect(stdout).toContain(`2 rows of 1 entry are back in the journal of process ${process.pid}.`);
    expect(code).toBe(0);
    await until(async () => {
      await harness.clock.advance(500);
      return harness.sink.rows().length === 2;
    });
  });

  test('replay says that the rows are sent later when no service runs', async () => {
    await harness.ingest.close();
    const { code, stdout } = await run('replay', id, '--json');
    expect(JSON.parse(stdout)).toEqual({ asked: [id], rows: 2, waiting: [id], servicePid: null });
    expect(code).toBe(0);
    expect((await run('replay')).stdout).toContain('will be replayed when a service starts');
  });

  test('reship, the former name of replay, works as a hidden alias', async () => {
    await harness.ingest.close();
    const { code, stdout } = await run('reship', id, '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { asked: [id], rows: 2 }]);
    const { stdout: help } = await runInProcess(['journal', '--help']);
    expect(help).toContain('replay');
    expect(help).not.toContain('reship');
  });
});

describe('toolscope journal drop', () => {
  test('drop deletes nothing without --yes and says how many entries it would delete', async () => {
    const asked = await run('drop', id);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('permanently deletes 2 rows')]);
    const file = join(harness.dataDirectory, 'quarantine', `${id}.json`);
    expect(existsSync(file)).toBe(true);
    const done = await run('drop', id, '--yes');
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringMatching(/^Dropped \S+: 2 rows, \d+ bytes\.\n$/),
    ]);
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    [
      ['drop', 'no-such-entry', '--yes'],
      'There is no quarantine entry no-such-entry.',
      'there is none of that id',
    ],
    [['drop'], 'Expected the id', 'nothing is dropped by omission'],
    [['purge'], 'Expected list, replay [id] or drop <id>.', 'there is no such action'],
    [['list', 'a', 'b'], 'Expected list, replay [id] or drop <id>.', 'nobody says what b means'],
  ])('journal with %j is refused with %j, because %s', async (args, message, _because) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

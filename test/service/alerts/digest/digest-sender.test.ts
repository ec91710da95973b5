// Digests by a clock of the test, with the state on a real disk: once per period across restarts, failures and changes.
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { NODE_FILE_SYSTEM } from '../../../../src/segment-log/file-system.ts';
import { readAlertState } from '../../../../src/service/alerts/alert-state-file.ts';
import { AlertStateRepository } from '../../../../src/service/alerts/alert-state-repository.ts';
import type { Digest } from '../../../../src/service/alerts/digest/compose-digest.ts';
import type { DigestSchedule } from '../../../../src/service/alerts/digest/digest-schedule.ts';
import { DigestSender } from '../../../../src/service/alerts/digest/digest-sender.ts';
import { formatDigestMarkdown } from '../../../../src/service/alerts/digest/format-digest.ts';
import { createTestDirectory } from '../open-test-alerts.ts';
import { sampleDigest, schedule } from './sample-digest.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const log = pino({ level: 'silent' });

/** Starts as the service does, with the state of the process before. */
async function start(dataDirectory: string, digests: readonly DigestSchedule[], over: object = {}) {
  const file = { dataDirectory, fileSystem: NODE_FILE_SYSTEM, log };
  const repository = new AlertStateRepository(await readAlertState(file), file);
  let nowMs = 0;
  const readDigest = vi.fn(
    async (query: { readonly range: Digest['range'] }): Promise<Digest | undefined> =>
      sampleDigest({ range: query.range }),
  );
  const clock = { now: () => nowMs, schedule: () => () => undefined };
  const options = { config: { digests }, repository, readDigest, clock, publish: () => undefined, log };
  const sender = new DigestSender({ ...options, ...over });
  return {
    readDigest,
    async sendAt(text: string) {
      nowMs = at(text);
      sender.send();
      await sender.settled();
      return repository.state.outbox.waiting.map(({ receiver, message }) => [
        receiver,
        message.alerts[0]?.evidence.details['to']?.slice(0, 16),
      ]);
    },
    waiting: () => repository.state.outbox.waiting,
  };
}

const MONDAY_9 = [
  ['hook', '2026-11-23T08:00'],
  ['log', '2026-11-23T08:00'],
];

test('a digest is queued for each receiver once it is due, with the text of toolscope report', async () => {
  const service = await start(createTestDirectory(), [schedule()]);
  expect(await service.sendAt('2026-11-18T12:00')).toEqual([]);
  expect(await service.sendAt('2026-11-23T07:59')).toEqual([]);
  expect(await service.sendAt('2026-11-23T08:00')).toEqual(MONDAY_9);
  expect(await service.sendAt('2026-11-23T08:01')).toEqual(MONDAY_9);
  const range = { fromMs: at('2026-11-16T08:00'), toMs: at('2026-11-23T08:00') };
  expect(service.readDigest).toHaveBeenCalledExactlyOnceWith({ range, server: undefined });
  expect(service.waiting()[0]?.message.digest?.markdown).toBe(formatDigestMarkdown(sampleDigest({ range })));
});

test('a new schedule sends nothing about the time before it', async () => {
  const service = await start(createTestDirectory(), [schedule()]);
  expect(await service.sendAt('2026-11-23T08:00')).toEqual([]);
  expect(await service.sendAt('2026-11-30T08:00')).toHaveLength(2);
});

test('a restart neither repeats a digest nor loses one that became due meanwhile', async () => {
  const folder = createTestDirectory();
  await (await start(folder, [schedule()])).sendAt('2026-11-18T12:00');
  const second = await start(folder, [schedule()]);
  expect(await second.sendAt('2026-11-23T11:00')).toEqual(MONDAY_9);
  const third = await start(folder, [schedule()]);
  expect(await third.sendAt('2026-11-23T11:05')).toEqual(MONDAY_9);
  expect(third.readDigest).not.toHaveBeenCalled();
  // Two Mondays later: only the newest week is sent.
  const fourth = await start(folder, [schedule()]);
  expect((await fourth.sendAt('2026-12-08T09:00')).slice(2)).toEqual([
    ['hook', '2026-12-07T08:00'],
    ['log', '2026-12-07T08:00'],
  ]);
});

test('a store that is away delays a digest', async () => {
  const service = await start(createTestDirectory(), [schedule()]);
  await service.sendAt('2026-11-18T12:00');
  service.readDigest.mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(undefined);
  expect(await service.sendAt('2026-11-23T08:00:00')).toEqual([]);
  expect(await service.sendAt('2026-11-23T08:00:30')).toEqual([]);
  expect(service.readDigest).toHaveBeenCalledTimes(1);
  expect(await service.sendAt('2026-11-23T08:01:01')).toEqual([]);
  expect(await service.sendAt('2026-11-23T08:02:10')).toEqual(MONDAY_9);
});

test('a disk that is full delays a digest', async () => {
  let isFull = false;
  const folder = createTestDirectory();
  const fileSystem: typeof NODE_FILE_SYSTEM = {
    ...NODE_FILE_SYSTEM,
    async open(path, how) {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return NODE_FILE_SYSTEM.open(path, how);
    },
  };
  const file = { dataDirectory: folder, fileSystem, log };
  const repository = new AlertStateRepository(await readAlertState(file), file);
  const service = await start(folder, [schedule()], { repository });
  await service.sendAt('2026-11-18T12:00');
  isFull = true;
  await service.sendAt('2026-11-23T08:00');
  expect(repository.state.outbox.waiting).toEqual([]);
  isFull = false;
  await service.sendAt('2026-11-23T08:02');
  expect(repository.state.outbox.waiting).toHaveLength(2);
});

test('a clock that was a year ahead does not silence the digests of a year', async () => {
  const service = await start(createTestDirectory(), [schedule()]);
  await service.sendAt('2027-11-18T12:00');
  expect(await service.sendAt('2026-11-18T12:00')).toEqual([]);
  expect(await service.sendAt('2026-11-23T08:00')).toEqual(MONDAY_9);
});

test('each schedule is sent by itself, and one that was removed is forgotten', async () => {
  const folder = createTestDirectory();
  const daily = schedule({ name: 'daily', every: 'day', server: 'notes', notify: ['hook'] });
  const first = await start(folder, [schedule(), daily]);
  await first.sendAt('2026-11-18T12:00');
  expect(await first.sendAt('2026-11-19T08:00')).toEqual([['hook', '2026-11-19T08:00']]);
  expect(first.readDigest).toHaveBeenCalledWith(expect.objectContaining({ server: 'notes' }));
  await (await start(folder, [schedule()])).sendAt('2026-11-19T09:00');
  const again = await start(folder, [schedule(), daily]);
  expect(await again.sendAt('2026-11-20T09:00')).toHaveLength(1);
});

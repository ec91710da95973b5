import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { waitUntilDeadline } from '../../../src/service/jobs/deadline.ts';

const log = pino({ level: 'silent' });

test('what ends in time is waited for, and its failure is told', async () => {
  await waitUntilDeadline(Promise.resolve(), { what: 'a', withinMs: 60_000, log });
  const failing = Promise.reject(new Error('broken'));
  await expect(waitUntilDeadline(failing, { what: 'b', withinMs: 60_000, log })).rejects.toThrow('broken');
});

test('what does not end is left behind, said, and may fail later without bringing anybody down', async () => {
  const warn = vi.spyOn(log, 'warn');
  let fail: (error: Error) => void = () => undefined;
  const hanging = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  await waitUntilDeadline(hanging, { what: 'the follower', withinMs: 1, log });
  expect(warn).toHaveBeenCalledWith({ what: 'the follower', withinMs: 1 }, expect.any(String));
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

// What changed shortly before an alert, in its message.
import { expect, test, vi } from 'vitest';
import { addBackground } from '../../../src/service/alerts/alert-background.ts';
import { sampleMessage } from './receivers/sample-message.ts';
import { MINUTE, NOW } from './sample.ts';

const CHANGES = [
  { atMs: NOW - MINUTE, sentence: '2.0 → 2.1', tool: '' },
  { atMs: NOW - 9 * MINUTE, sentence: 'add_note: limit is required now', tool: 'add_note' },
  { atMs: NOW - 5 * MINUTE, sentence: 'move: described', tool: 'move' },
  { atMs: NOW + MINUTE, sentence: '2.1 → 2.2', tool: '' },
];

test('a message has the changes of its server and tools before its alert, oldest first', async () => {
  const readChanges = vi.fn(async () => CHANGES);
  const { alerts } = await addBackground(sampleMessage(), { readChanges, timeoutMs: 1_000 });
  expect(alerts[0]?.background?.changes.map(({ sentence }) => sentence)).toEqual([
    'add_note: limit is required now',
    '2.0 → 2.1',
  ]);
  expect(readChanges).toHaveBeenCalledWith('notes', { fromMs: NOW - 120 * MINUTE, toMs: NOW });
});

test('the end of an alert does not ask what changed before it', async () => {
  const readChanges = vi.fn(async () => CHANGES);
  await addBackground(sampleMessage('resolved'), { readChanges, timeoutMs: 1_000 });
  expect(readChanges).not.toHaveBeenCalled();
});

test.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['hangs', () => new Promise<never>(() => undefined)],
])('a message goes out without changes when the store %s', async (_how, readChanges) => {
  const message = sampleMessage();
  expect(await addBackground(message, { readChanges, timeoutMs: 20 })).toEqual(message);
});

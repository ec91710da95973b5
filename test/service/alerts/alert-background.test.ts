// What changed shortly before an alert, in its message.
import { expect, test, vi } from 'vitest';
import { addBackground } from '../../../src/service/alerts/alert-background.ts';
import { describeCauses, toCauseQuery } from '../../../src/service/alerts/alert-cause.ts';
import { sampleAlert, sampleMessage } from './receivers/sample-message.ts';
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

const CAUSES = [
  { kind: 'version', name: '2.1.0', share: 0.97 },
  { kind: 'code', name: 'HTTP_503', share: 0.9 },
] as const;
const { evidence } = sampleAlert();
const labels = { server: 'notes', environment: 'prod', tool: 'add', code: 'HTTP_503' };
const ERRORS = {
  labels,
  evidence: { ...evidence, threshold: 0.1, details: { metric: 'server_error_rate' } },
} as const;

test('an alert about failures has its likely cause', async () => {
  const readCauses = vi.fn(async () => CAUSES);
  const { alerts } = await addBackground(sampleMessage('firing', ERRORS), { readCauses, timeoutMs: 1_000 });
  expect(alerts[0]?.background?.cause).toBe(
    'version 2.1.0 (97 % of the failures above the usual level), code HTTP_503 (90 %)',
  );
  expect(readCauses).toHaveBeenCalledExactlyOnceWith({
    ...{ kind: 'errors', server: 'notes', environment: 'prod', tool: 'add', code: 'HTTP_503' },
    ...{ sinceMs: NOW - 10 * MINUTE, slowFromMs: undefined },
  });
});

test('causes of at most three alerts are read, none of the end, and a store that hangs delays no message', async () => {
  const readCauses = vi.fn(() => new Promise<never>(() => undefined));
  const one = sampleMessage('firing', ERRORS);
  const many = { ...one, alerts: Array.from({ length: 9 }, () => one.alerts).flat() };
  expect(await addBackground(many, { readCauses, timeoutMs: 20 })).toEqual(many);
  expect(readCauses).toHaveBeenCalledTimes(3);
  await addBackground(sampleMessage('resolved', ERRORS), { readCauses, timeoutMs: 20 });
  expect(readCauses).toHaveBeenCalledTimes(3);
});

test.each([
  [
    labels,
    { metric: 'p95' },
    { kind: 'latency', slowFromMs: 500 },
    'slow calls are those above the threshold',
  ],
  [labels, { event: 'new_error_code' }, { kind: 'errors', code: 'HTTP_503' }, 'the code is new'],
  [{ server: 'notes' }, { metric: 'error_rate' }, { environment: undefined, tool: '' }, 'it is of all tools'],
  [labels, { metric: 'calls' }, undefined, 'a number of calls has none'],
  [labels, { kind: 'repeat' }, undefined, 'a loop has its own'],
  [{}, { metric: 'error_rate' }, undefined, 'no server is known'],
])('%j with %j: causes are read of %j because %s', (given, details, expected, _because) => {
  const alert = sampleAlert({ labels: given, evidence: { ...evidence, threshold: 500, details } });
  const query = toCauseQuery(alert);
  if (expected === undefined) expect(query).toBeUndefined();
  else expect(query).toMatchObject(expected);
});

test('without causes, nothing is said', () => {
  expect(describeCauses('errors', [])).toBe('');
});

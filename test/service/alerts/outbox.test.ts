// What the outbox remembers: messages that their receivers can change, and failed ones that can be sent again.
import { expect, test } from 'vitest';
import { EMPTY_ALERT_STATE, type Outbox } from '../../../src/service/alerts/alert-records.ts';
import { enqueue, findReference, recordAttempt, retryDelivery } from '../../../src/service/alerts/outbox.ts';
import { sampleMessage } from './receivers/sample-message.ts';
import { NOW } from './sample.ts';

function add(outbox: Outbox, status: 'firing' | 'resolved') {
  const next = enqueue(outbox, [sampleMessage(status)], NOW);
  const entry = next.waiting.at(-1) ?? expect.unreachable('the message waits');
  return { outbox: next, entry };
}

function send({ outbox, entry }: ReturnType<typeof add>, reference?: string): Outbox {
  const result = { status: 'delivered', httpStatus: 200, ...(reference && { reference }) } as const;
  return recordAttempt(outbox, { id: entry.id, result, nowMs: NOW, random: 0 });
}

test('a receiver can change the message of a group until its end was delivered', () => {
  const fired = add(EMPTY_ALERT_STATE.outbox, 'firing');
  expect(findReference(fired.outbox, fired.entry)).toBeUndefined();
  const updated = add(send(fired, 'C1 1.0'), 'firing');
  expect(findReference(updated.outbox, updated.entry)).toBe('C1 1.0');
  const resolved = add(send(updated), 'resolved');
  expect(findReference(resolved.outbox, resolved.entry)).toBe('C1 1.0');
  const again = add(send(resolved, 'C1 1.0'), 'firing');
  expect(findReference(again.outbox, again.entry)).toBeUndefined();
});

function fail({ outbox, entry }: ReturnType<typeof add>): Outbox {
  const result = { status: 'failed', httpStatus: 410, reason: 'Gone.' } as const;
  return recordAttempt(outbox, { id: entry.id, result, nowMs: NOW, random: 0 });
}

test('a failed notification can be sent again under its id, and a delivered one cannot', () => {
  const fired = add(EMPTY_ALERT_STATE.outbox, 'firing');
  const again = retryDelivery(fail(fired), fired.entry.id, NOW + 1) ?? expect.unreachable('it failed');
  expect(again.ended).toEqual([]);
  expect(again.waiting).toMatchObject([{ id: fired.entry.id, attempts: 1, nextMs: NOW + 1 }]);
  expect(again.waiting[0]?.message).toEqual(fired.entry.message);
  expect(retryDelivery(send({ ...fired, outbox: again }), fired.entry.id, NOW + 2)).toBeUndefined();
});

test('a failed notification is not sent again once a later one about its group waits or has ended', () => {
  const fired = add(EMPTY_ALERT_STATE.outbox, 'firing');
  const later = add(fail(fired), 'resolved');
  expect(retryDelivery(later.outbox, fired.entry.id, NOW)).toBeUndefined();
  expect(retryDelivery(send(later), fired.entry.id, NOW)).toBeUndefined();
});

test('a waiting notification can be sent now', () => {
  const { outbox, entry } = add(EMPTY_ALERT_STATE.outbox, 'firing');
  const result = { status: 'retry', httpStatus: 503, reason: '', retryAfterMs: undefined } as const;
  const waiting = recordAttempt(outbox, { id: entry.id, result, nowMs: NOW, random: 0 });
  expect(waiting.waiting[0]?.nextMs).toBeGreaterThan(NOW);
  expect(retryDelivery(waiting, entry.id, NOW)?.waiting[0]?.nextMs).toBe(NOW);
});

test('of failed notifications, the messages of the newest twenty are kept', () => {
  let outbox = EMPTY_ALERT_STATE.outbox;
  for (let at = 0; at < 25; at += 1) {
    const message = { ...sampleMessage('firing'), groupKey: `group ${at}` };
    const next = enqueue(outbox, [message], NOW + at);
    outbox = fail({ outbox: next, entry: next.waiting[0] ?? expect.unreachable('it waits') });
  }
  expect(outbox.ended.filter(({ message }) => message).length).toBe(20);
});

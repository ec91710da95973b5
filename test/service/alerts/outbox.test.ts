// What the outbox remembers of a message that its receiver can change.
import { expect, test } from 'vitest';
import { EMPTY_ALERT_STATE, type Outbox } from '../../../src/service/alerts/alert-records.ts';
import { enqueue, findReference, recordAttempt } from '../../../src/service/alerts/outbox.ts';
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

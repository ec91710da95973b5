// A clock that is set back by a day: what waits for a time goes on, and does not wait until the clock has caught up.
import { expect, test } from 'vitest';
import { EMPTY_DESK, hearLoops, step } from '../../../src/service/alerts/desk.ts';
import { dueEntries, settle } from '../../../src/service/alerts/outbox.ts';
import { LOOP_RULE, loop, MINUTE, NOW, SECOND } from './sample.ts';

const DAY = 24 * 60 * MINUTE;

function after(rule: Partial<typeof LOOP_RULE>) {
  const watched = { rules: [{ ...LOOP_RULE, ...rule }], receivers: ['hook'], sessions: new Map() };
  const heard = hearLoops(EMPTY_DESK, [loop()], NOW);
  return { watched, desk: step(heard, watched, NOW).desk };
}

test('an alert that is pending fires, rather a moment early than a day late', () => {
  const { watched, desk } = after({ forMs: MINUTE });
  expect(desk.book.alerts.map(({ state }) => state)).toEqual(['pending']);
  expect(step(desk, watched, NOW + SECOND).desk.book.alerts.map(({ state }) => state)).toEqual(['pending']);
  expect(step(desk, watched, NOW - DAY).desk.book.alerts.map(({ state }) => state)).toEqual(['firing']);
});

test('a message that is to be tried again is', () => {
  const { desk } = after({});
  const [first] = desk.outbox.waiting;
  const result = { status: 'retry', httpStatus: 503, reason: 'busy', askedMs: undefined } as const;
  const outbox = settle(desk.outbox, { id: first?.id ?? '', result, nowMs: NOW + SECOND, random: 0.5 });
  const due = (nowMs: number) => dueEntries(outbox, { inFlight: new Set(), nowMs }).length;
  expect([due(NOW + SECOND), due(NOW + DAY), due(NOW - DAY)]).toEqual([0, 1, 1]);
});

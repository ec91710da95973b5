// A clock that is set back by a day: what waits for a time goes on, and does not wait until the clock has caught up.
import { expect, test } from 'vitest';
import { EMPTY_ALERT_STATE } from '../../../src/service/alerts/alert-records.ts';
import { addUpdates, advanceAlertState } from '../../../src/service/alerts/alert-state.ts';
import { findDueEntries, recordAttempt } from '../../../src/service/alerts/outbox.ts';
import { LOOP_RULE, loopNotice, MINUTE, NOW, SECOND } from './sample.ts';

const DAY = 24 * 60 * MINUTE;

function evaluateAfter(rule: Partial<typeof LOOP_RULE>) {
  const watched = { rules: [{ ...LOOP_RULE, ...rule }], receivers: ['hook'], sessions: new Map() };
  const heard = addUpdates(EMPTY_ALERT_STATE, { loops: [loopNotice()], storms: [] }, NOW);
  return { watched, desk: advanceAlertState(heard, watched, NOW).state };
}

test('after the clock is set back a pending alert fires a moment early rather than a day late', () => {
  const { watched, desk } = evaluateAfter({ forMs: MINUTE });
  expect(desk.alertSet.alerts.map(({ state }) => state)).toEqual(['pending']);
  expect(
    advanceAlertState(desk, watched, NOW + SECOND).state.alertSet.alerts.map(({ state }) => state),
  ).toEqual(['pending']);
  expect(advanceAlertState(desk, watched, NOW - DAY).state.alertSet.alerts.map(({ state }) => state)).toEqual(
    ['firing'],
  );
});

test('after the clock is set back a message that waits for its retry is still sent', () => {
  const { desk } = evaluateAfter({});
  const [first] = desk.outbox.waiting;
  const result = { status: 'retry', httpStatus: 503, reason: 'busy', retryAfterMs: undefined } as const;
  const outbox = recordAttempt(desk.outbox, {
    id: first?.id ?? '',
    result,
    nowMs: NOW + SECOND,
    random: 0.5,
  });
  const due = (nowMs: number) => findDueEntries(outbox, { inFlight: new Set(), nowMs }).length;
  expect([due(NOW + SECOND), due(NOW + DAY), due(NOW - DAY)]).toEqual([0, 1, 1]);
});

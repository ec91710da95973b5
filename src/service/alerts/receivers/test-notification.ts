// The test notification: an alert like any other, so that it shows how alerts look at the receiver, with a
// text that says it is a test.

import { UserError } from '../../../errors.ts';
import type { Alert, AlertMessage, Delivery } from '../alert-records.ts';
import { summariseMessage } from '../outbox.ts';
import type { NotificationResult } from './notification.ts';
import type { Receiver } from './receiver.ts';

const TEST_SENTENCE = 'This is a test of Toolscope alerts. Nothing is wrong.';

/** @throws UserError INVALID_BODY */
export function findReceiver(receivers: readonly Receiver[], name: string): Receiver {
  const receiver = receivers.find((known) => known.name === name);
  if (receiver) return receiver;
  const known = receivers.map((each) => each.name).join(', ');
  const problem = `There is no receiver of that name. Expected one of ${known}.`;
  throw new UserError('INVALID_BODY', problem, { field: 'receiver' });
}

export function createTestMessage(receiver: string, nowMs: number): AlertMessage {
  const labels = { alertname: 'test', server: 'test', environment: '' };
  const alert: Alert = {
    fingerprint: '0000000000000000',
    labels,
    groupLabels: labels,
    ruleId: 'test',
    evidence: { sentence: TEST_SENTENCE, value: 0, threshold: 0, tools: [], details: {} },
    state: 'firing',
    activeMs: nowMs,
    firedMs: nowMs,
    seenMs: nowMs,
    resolvedMs: null,
    notified: 'firing',
  };
  return {
    ruleId: 'test',
    receivers: [receiver],
    groupKey: '{}:{alertname="test"}',
    groupLabels: { alertname: 'test' },
    status: 'firing',
    alerts: [alert],
    truncated: 0,
    news: [],
    atMs: nowMs,
  };
}

interface TestResult {
  readonly id: string;
  readonly message: AlertMessage;
  readonly result: NotificationResult;
  readonly endedMs: number;
}

/** A test is sent once, without retries. */
export function createTestDelivery({ id, message, result, endedMs }: TestResult): Delivery {
  return {
    ...summariseMessage(message),
    id,
    receiver: message.receivers[0] ?? '',
    says: 'test',
    status: result.status === 'delivered' ? 'delivered' : 'failed',
    createdMs: message.atMs,
    attempts: 1,
    lastMs: endedMs,
    httpStatus: result.httpStatus,
    reason: result.status === 'delivered' ? '' : result.reason,
  };
}

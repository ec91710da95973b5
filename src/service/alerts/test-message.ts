// The message of the test button: an alert like any other, so that a receiver shows what it will show, with words that
// say what it is.

import type { Alert, AlertMessage } from './alert.ts';
import type { NotificationResult } from './notify.ts';
import { type Delivery, summariseMessage } from './outbox.ts';

const TEST_SENTENCE = 'This is a test of Toolscope alerts. Nothing is wrong.';

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
    told: 'firing',
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
  readonly startedMs: number;
  readonly endedMs: number;
}

/** A test is sent once, without retries. */
export function createTestDelivery({ id, message, result, startedMs, endedMs }: TestResult): Delivery {
  return {
    ...summariseMessage(message),
    id,
    receiver: message.receivers[0] ?? '',
    says: 'test',
    status: result.status === 'delivered' ? 'delivered' : 'failed',
    createdMs: startedMs,
    attempts: 1,
    lastMs: endedMs,
    httpStatus: result.httpStatus,
    reason: result.status === 'delivered' ? '' : result.reason,
  };
}

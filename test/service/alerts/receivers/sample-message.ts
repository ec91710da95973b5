// Messages as the outbox has them: one alert, and as many as a message takes with the longest hostile texts.
import type { Alert, AlertMessage } from '../../../../src/service/alerts/alert-records.ts';
import { MINUTE, NOW } from '../sample.ts';

export function sampleAlert(over: Partial<Alert> = {}): Alert {
  const labels = {
    alertname: 'loops',
    server: 'notes',
    environment: 'production',
    session_id: 's1',
    client: 'cursor',
  };
  return {
    fingerprint: '0123456789abcdef',
    labels,
    groupLabels: { alertname: 'loops', server: 'notes', environment: 'production' },
    ruleId: 'loops',
    evidence: {
      sentence: 'add_note was called 7 times with the same arguments and failed the same way.',
      value: 7,
      threshold: 0,
      tools: ['add_note'],
      details: {
        kind: 'repeat',
        severity: 'confirmed',
        wasted_calls: '6',
        since: new Date(NOW - MINUTE).toISOString(),
      },
    },
    state: 'firing',
    activeMs: NOW,
    firedMs: NOW,
    seenMs: NOW,
    resolvedMs: null,
    notified: 'firing',
    ...over,
  };
}

export function sampleMessage(
  status: 'firing' | 'resolved' = 'firing',
  over: Partial<Alert> = {},
): AlertMessage {
  const ended = status === 'resolved' ? ({ state: 'resolved', resolvedMs: NOW + 12 * MINUTE } as const) : {};
  const alert = sampleAlert({ ...ended, ...over });
  return {
    ruleId: 'loops',
    receivers: ['hook'],
    groupKey: '{}:{alertname="loops", server="notes"}',
    groupLabels: alert.groupLabels,
    status,
    alerts: [alert],
    truncated: 0,
    news: [alert.fingerprint],
    atMs: NOW,
  };
}

/** Characters that some receiver reads as markup, and one of four bytes. */
const HOSTILE = `<!channel> @everyone <@U1> [x](http://evil) *_~\`|"'&\\\u{1f600}\n#`;
const LONG = HOSTILE.repeat(60);

export function hostileMessage(status: 'firing' | 'resolved'): AlertMessage {
  const labels = {
    alertname: 'loops',
    server: LONG,
    environment: LONG,
    tool: LONG,
    client: LONG,
    code: LONG,
    version: LONG,
  };
  const message = sampleMessage(status, {
    labels,
    groupLabels: labels,
    evidence: {
      sentence: LONG,
      value: 5,
      threshold: 3,
      tools: [LONG, LONG],
      details: { severity: 'confirmed' },
    },
    background: { cause: LONG, changes: Array.from({ length: 9 }, () => ({ atMs: NOW, sentence: LONG })) },
  });
  return { ...message, alerts: Array.from({ length: 20 }, () => message.alerts).flat(), truncated: 80 };
}

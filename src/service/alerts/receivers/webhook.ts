// The body of a generic webhook: version 4 of Alertmanager's (`notify/webhook/webhook.go` and
// `template/template.go` of prometheus/alertmanager), so that receivers of Alertmanager work unchanged.

import type { Alert, AlertMessage, Labels } from '../alert-records.ts';
import type { BodyContext } from './receiver.ts';

/** Go's text for a time that is not set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

interface WebhookAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

export interface WebhookBody {
  readonly version: '4';
  readonly groupKey: string;
  readonly truncatedAlerts: number;
  readonly status: 'firing' | 'resolved';
  readonly receiver: string;
  readonly groupLabels: Labels;
  readonly commonLabels: Labels;
  readonly commonAnnotations: Labels;
  readonly externalURL: string;
  readonly alerts: readonly WebhookAlert[];
}

export function toWebhookBody(message: AlertMessage, { externalUrl, receiver }: BodyContext): WebhookBody {
  const alerts = message.alerts.map((alert) => toWebhookAlert(alert, externalUrl));
  return {
    version: '4',
    groupKey: message.groupKey,
    truncatedAlerts: message.truncated,
    status: message.status,
    receiver,
    groupLabels: message.groupLabels,
    commonLabels: findCommonLabels(alerts.map(({ labels }) => labels)),
    commonAnnotations: findCommonLabels(alerts.map(({ annotations }) => annotations)),
    externalURL: externalUrl,
    alerts,
  };
}

/** Address of the page with the calls that prove the alert. */
export function toAlertUrl({ labels }: Alert, externalUrl: string): string {
  const { session_id: id = '', server = '', storm_id: storm = '' } = labels;
  if (storm !== '') return `${externalUrl}/loops?${new URLSearchParams({ storm })}`;
  if (id === '') return `${externalUrl}/`;
  return `${externalUrl}/sessions/${encodeURIComponent(id)}?${new URLSearchParams({ of: server })}`;
}

function toWebhookAlert(alert: Alert, externalUrl: string): WebhookAlert {
  const { labels, evidence, firedMs, activeMs, resolvedMs, fingerprint } = alert;
  const url = toAlertUrl(alert, externalUrl);
  const { sentence, value, details } = evidence;
  return {
    status: alert.state === 'resolved' ? 'resolved' : 'firing',
    labels,
    annotations: { summary: sentence, value: String(value), ...details, session_url: url },
    startsAt: new Date(firedMs ?? activeMs).toISOString(),
    endsAt: resolvedMs === null ? ZERO_TIME : new Date(resolvedMs).toISOString(),
    generatorURL: url,
    fingerprint,
  };
}

/** The pairs that all label sets have. */
function findCommonLabels(all: readonly Labels[]): Labels {
  const [first = {}, ...rest] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => rest.every((labels) => labels[name] === value)),
  );
}

// What the API shows of the desk and the rules. No address and no token is in it.

import type {
  AlertDeliveriesAnswer,
  AlertDeliveryRow,
  AlertRow,
  AlertRuleRow,
  AlertsAnswer,
  SilenceRow,
} from '../../contract/alerts.ts';
import { LOOP_SEVERITIES } from '../../core/model/loop-notice.ts';
import type { Alert } from './alert.ts';
import type { Desk } from './desk.ts';
import { type Outbox, summarise } from './outbox.ts';
import type { FoundRules } from './read-rules.ts';
import { maskTarget } from './receiver.ts';
import { type AlertRule, describeRule } from './rule.ts';
import { type Silence, silencesFor } from './silence.ts';

export function showAlerts({ book, silences }: Desk, setup: FoundRules, nowMs: number): AlertsAnswer {
  return {
    rules: setup.rules.map((rule) => showRule(rule, book.alerts)),
    alerts: book.alerts
      .toSorted(
        (a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state) || b.activeMs - a.activeMs,
      )
      .map((alert) => showAlert(alert, silences, nowMs)),
    receivers: setup.receivers.map((receiver) => ({
      name: receiver.name,
      type: receiver.type,
      target: maskTarget(receiver),
    })),
    rulesFile: setup.path,
  };
}

const WORST_FIRST = ['firing', 'pending', 'resolved'] as const;

function showRule(rule: AlertRule, alerts: readonly Alert[]): AlertRuleRow {
  const states = alerts.filter(({ ruleId }) => ruleId === rule.id).map(({ state }) => state);
  const { id, kind, enabled, match, forMs, keepFiringForMs, groupBy, notify } = rule;
  return {
    id,
    kind,
    enabled,
    state: WORST_FIRST.find((state) => states.includes(state)) ?? 'inactive',
    sentence: describeRule(rule),
    match: { server: [...match.server], environment: [...match.environment], tool: [...match.tool] },
    forSeconds: forMs / 1_000,
    keepFiringForSeconds: keepFiringForMs / 1_000,
    groupBy: [...groupBy],
    notify: [...notify],
    pending: states.filter((state) => state === 'pending').length,
    firing: states.filter((state) => state === 'firing').length,
  };
}

function showAlert(alert: Alert, silences: readonly Silence[], nowMs: number): AlertRow {
  const { fingerprint, ruleId, state, labels, evidence, activeMs, firedMs, resolvedMs } = alert;
  const { sentence, value, threshold, tools } = evidence;
  return {
    fingerprint,
    ruleId,
    state,
    labels,
    sentence,
    value,
    threshold,
    severity: LOOP_SEVERITIES.find((severity) => severity === evidence.details['severity']) ?? null,
    server: labels['server'] ?? '',
    sessionId: labels['session_id'] ?? '',
    tools: [...tools],
    activeAt: toTime(activeMs),
    firedAt: toTimeOrNull(firedMs),
    resolvedAt: toTimeOrNull(resolvedMs),
    silencedBy: silencesFor(labels, silences, nowMs).map(({ id }) => id),
  };
}

export function showDeliveries({ waiting, ended }: Outbox): AlertDeliveriesAnswer {
  const rows = [
    ...waiting.map(({ message, nextMs, ...rest }) => ({
      ...rest,
      ...summarise(message),
      status: 'waiting' as const,
      nextMs,
    })),
    ...ended.map((delivery) => ({ ...delivery, nextMs: null })),
  ];
  return {
    deliveries: rows.map(
      ({ createdMs, lastMs, nextMs, ...rest }): AlertDeliveryRow => ({
        ...rest,
        createdAt: toTime(createdMs),
        lastAttemptAt: toTimeOrNull(lastMs),
        nextAttemptAt: toTimeOrNull(nextMs),
      }),
    ),
  };
}

export function showSilence(silence: Silence, nowMs: number): SilenceRow {
  const { id, matchers, comment, createdMs, expiresMs } = silence;
  return {
    id,
    matchers: [...matchers],
    comment,
    createdAt: toTime(createdMs),
    expiresAt: toTime(expiresMs),
    state: nowMs < expiresMs ? 'active' : 'expired',
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms);
}

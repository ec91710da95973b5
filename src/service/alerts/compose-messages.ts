// When receivers are notified, and of what. A group's first alert is sent at once; further ones wait for the
// group interval and are sent together; the end of the last one is sent at once. So one looping agent is one
// message and its end, and two hundred are a few.

import { groupBy } from '../../core/values/group-by.ts';
import { toGroupKey } from './alert-group-key.ts';
import type { Alert, AlertGroup, AlertMessage, AlertSet, Silence } from './alert-records.ts';
import type { AlertRule } from './alert-rule.ts';
import { findActiveSilences } from './silence.ts';

const MAX_ALERTS_PER_MESSAGE = 20;

interface NotificationRules {
  readonly rules: readonly AlertRule[];
  readonly silences: readonly Silence[];
}

/** @returns the alerts with their new notified state, and the messages */
export function composeMessages(
  { alerts, groups }: AlertSet,
  { rules, silences }: NotificationRules,
  nowMs: number,
): { readonly alertSet: AlertSet; readonly messages: readonly AlertMessage[] } {
  const byKey = groupBy(alerts, ({ groupLabels }) => toGroupKey(groupLabels));
  const known = new Map(groups.map((group) => [group.key, group]));
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const context = { rules: byId, loopsOf: groupLoops(alerts, byId), silences, nowMs };
  const messages = [...byKey].flatMap(
    ([groupKey, group]) => composeMessage(group, { ...context, groupKey, known: known.get(groupKey) }) ?? [],
  );
  for (const { groupKey: key, receivers } of messages) known.set(key, { key, receivers, notifiedMs: nowMs });
  const activeGroups = [...known.values()].filter(({ key }) => byKey.has(key));
  return { alertSet: { alerts: markNotified(alerts, messages), groups: activeGroups }, messages };
}

function markNotified(alerts: readonly Alert[], messages: readonly AlertMessage[]): readonly Alert[] {
  const news = new Set(messages.flatMap((message) => message.news));
  if (news.size === 0) return alerts;
  return alerts.map((alert) =>
    news.has(alert.fingerprint)
      ? { ...alert, notified: alert.state === 'firing' ? 'firing' : 'resolved' }
      : alert,
  );
}

interface MessageContext {
  readonly rules: ReadonlyMap<string, AlertRule>;
  /** Alerts of loops that fire or fired, in all groups, by the key of their session. */
  readonly loopsOf: ReadonlyMap<string, readonly Alert[]>;
  readonly silences: readonly Silence[];
  readonly groupKey: string;
  readonly known: AlertGroup | undefined;
  readonly nowMs: number;
}

function composeMessage(group: readonly Alert[], context: MessageContext): AlertMessage | undefined {
  const { rules, groupKey, known, nowMs } = context;
  const { ruleId = '', groupLabels = {} } = group[0] ?? {};
  const rule = rules.get(ruleId);
  const newlyFiring = group.filter(
    (alert) => alert.state === 'firing' && alert.notified === 'nothing' && !isSuppressed(alert, context),
  );
  const newlyResolved = group.filter(({ state, notified }) => state === 'resolved' && notified === 'firing');
  const stillFiring = group.filter(({ state, notified }) => state !== 'resolved' && notified === 'firing');
  if (newlyFiring.length + newlyResolved.length === 0) return undefined;
  const isFirst = stillFiring.length + newlyResolved.length === 0;
  const isResolved = stillFiring.length + newlyFiring.length === 0;
  const waitedMs = nowMs - (known?.notifiedMs ?? Number.NEGATIVE_INFINITY);
  if (!isFirst && !isResolved && waitedMs < (rule?.groupIntervalMs ?? 0)) return undefined;
  const listed = [...newlyFiring, ...newlyResolved, ...stillFiring];
  return {
    ruleId,
    receivers: rule?.notify ?? known?.receivers ?? [],
    groupKey,
    groupLabels,
    status: isResolved ? 'resolved' : 'firing',
    alerts: listed.slice(0, MAX_ALERTS_PER_MESSAGE),
    truncated: Math.max(0, listed.length - MAX_ALERTS_PER_MESSAGE),
    news: [...newlyFiring, ...newlyResolved].map(({ fingerprint }) => fingerprint),
    atMs: nowMs,
  };
}

function isSuppressed(alert: Alert, { rules, loopsOf, silences, nowMs }: MessageContext): boolean {
  if (findActiveSilences(alert.labels, silences, nowMs).length > 0) return true;
  const rule = rules.get(alert.ruleId);
  if (rule?.kind !== 'session_over_calls') return false;
  const loops = loopsOf.get(toSessionKey(alert)) ?? [];
  return loops.some(({ ruleId }) => reachesAll(rules.get(ruleId), rule.notify));
}

/**
 * A long session that loops is notified as a loop. Grouped by session, because a thousand of each may begin
 * at once: pairwise comparison took up to 490 ms in one turn of the event loop (2,000 sessions of failing
 * calls, under a profiler).
 */
function groupLoops(
  alerts: readonly Alert[],
  rules: ReadonlyMap<string, AlertRule>,
): ReadonlyMap<string, readonly Alert[]> {
  const loops = alerts.filter(
    ({ ruleId, state }) => rules.get(ruleId)?.kind === 'suspected_loop' && state !== 'pending',
  );
  return groupBy(loops, toSessionKey);
}

function toSessionKey({ labels }: Alert): string {
  return JSON.stringify([labels['server'], labels['session_source'], labels['session_id']]);
}

/** Receivers that are notified of a session's loops need no notification about its length. */
function reachesAll(rule: AlertRule | undefined, receivers: readonly string[]): boolean {
  return receivers.every((receiver) => rule?.notify.includes(receiver) ?? false);
}

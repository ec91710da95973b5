// Purges alert state of deleted sessions, or of what was last seen before an instant: alerts, messages,
// events and silences. No notification is sent for purged alerts.

import type { LoopUpdate } from '../../core/model/loop-record.ts';
import type { AlertMessage, AlertState, Delivery, Labels, OutboxEntry } from './alert-records.ts';

export interface AlertPurgeSelection {
  /** Without a server, the sessions with this id on every server. */
  readonly sessions: readonly { readonly server?: string | undefined; readonly id: string }[];
  /** Also selects what was last seen before this time. */
  readonly beforeMs: number | undefined;
}

/** @returns the alert state without the selected records, and how many were removed */
export function purgeAlertState(
  alertState: AlertState,
  selection: AlertPurgeSelection,
): { readonly alertState: AlertState; readonly records: number } {
  const { isBefore, isPurgedLoop, isPurged, mentionsSession } = createPurgeMatcher(selection);
  const next: AlertState = {
    ...alertState,
    loops: alertState.loops.filter((loop) => !isPurgedLoop(loop)),
    storms: alertState.storms.filter(({ lastUs }) => !isBefore(lastUs / 1000)),
    alertSet: {
      alerts: alertState.alertSet.alerts.filter(({ labels, seenMs }) => !isPurged(labels, seenMs)),
      groups: alertState.alertSet.groups.filter(
        ({ key, notifiedMs }) => !isBefore(notifiedMs) && !mentionsSession(key),
      ),
    },
    silences: alertState.silences.filter(
      ({ matchers }) => !matchers.some(({ name, value }) => name === 'session_id' && mentionsSession(value)),
    ),
    unstored: alertState.unstored
      .map((batch) => ({
        ...batch,
        events: batch.events.filter(({ labels, atMs }) => !isPurged(labels, atMs)),
      }))
      .filter(({ events }) => events.length > 0),
    outbox: {
      ...alertState.outbox,
      waiting: alertState.outbox.waiting.flatMap((entry) => removeAlerts(entry, isPurged)),
      ended: alertState.outbox.ended
        .filter(({ sentence, createdMs }) => !isBefore(createdMs) && !mentionsSession(sentence))
        .map((delivery) => removeMessageAlerts(delivery, isPurged)),
    },
  };
  return { alertState: next, records: countRecords(alertState) - countRecords(next) };
}

export function createPurgeMatcher({ sessions, beforeMs }: AlertPurgeSelection) {
  const toKey = (server: string | undefined, id: string): string => JSON.stringify([server ?? null, id]);
  const keys = new Set(sessions.map(({ server, id }) => toKey(server, id)));
  const isBefore = (ms: number): boolean => beforeMs !== undefined && ms < beforeMs;
  const isSession = (server: string | undefined, id = ''): boolean =>
    id !== '' && (keys.has(toKey(server, id)) || keys.has(toKey(undefined, id)));
  return {
    isBefore,
    isPurgedLoop: ({ lastMs, server, sessionId }: LoopUpdate): boolean =>
      isBefore(lastMs) || isSession(server, sessionId),
    isPurged: (labels: Labels, ms: number): boolean =>
      isBefore(ms) || isSession(labels['server'], labels['session_id']),
    /** Whether a text contains the id of a session. */
    mentionsSession: (text: string): boolean => sessions.some(({ id }) => mentions(text, id)),
  };
}

/** As a whole word, so that session `1` is not found in `12`. */
function mentions(text: string, id: string): boolean {
  for (let at = text.indexOf(id); id !== '' && at !== -1; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + id.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

type IsPurged = (labels: Labels, seenMs: number) => boolean;

function removeAlerts(entry: OutboxEntry, isPurged: IsPurged): OutboxEntry[] {
  const message = withoutAlerts(entry.message, isPurged);
  return message ? [{ ...entry, message }] : [];
}

function removeMessageAlerts({ message, ...delivery }: Delivery, isPurged: IsPurged): Delivery {
  const left = message && withoutAlerts(message, isPurged);
  return { ...delivery, ...(left && { message: left }) };
}

/** @returns undefined if no alert is left */
function withoutAlerts(message: AlertMessage, isPurged: IsPurged): AlertMessage | undefined {
  const alerts = message.alerts.filter(({ labels, seenMs }) => !isPurged(labels, seenMs));
  if (alerts.length === 0) return undefined;
  const left = new Set(alerts.map(({ fingerprint }) => fingerprint));
  const news = message.news.filter((fingerprint) => left.has(fingerprint));
  return { ...message, alerts, news };
}

function countRecords({ loops, storms, alertSet, silences, unstored, outbox }: AlertState): number {
  const events = unstored.reduce((sum, batch) => sum + batch.events.length, 0);
  const messages = outbox.waiting.reduce((sum, { message }) => sum + message.alerts.length, 0);
  const lists = [loops, storms, alertSet.alerts, silences, outbox.ended];
  return lists.reduce((sum, { length }) => sum + length, events + messages);
}

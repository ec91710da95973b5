// Purges alert state of deleted sessions, or of what was last seen before an instant: alerts, messages,
// events and silences. No notification is sent for purged alerts.

import type { LoopUpdate } from '../../core/model/loop-notice.ts';
import type { Labels } from './alert.ts';
import type { AlertState } from './alert-state.ts';
import type { OutboxEntry } from './outbox.ts';

export interface AlertPurgeSelection {
  /** Without a server, the id of every server. */
  readonly sessions: readonly { readonly server?: string | undefined; readonly id: string }[];
  /**
   * Removes the selected records from the alert state.
   *
   * @returns the state, and how many records were removed
   */
  readonly beforeMs: number | undefined;
}

interface PurgeMatcher {
  readonly isSession: (server: string | undefined, id: string | undefined) => boolean;
  readonly isBefore: (ms: number) => boolean;
  /** Whether a text names one of the sessions. */
  readonly mentionsSession: (text: string) => boolean;
}

/**
 * The desk without what is to be forgotten.
 *
 * @returns the desk, and how many records it lost
 */
export function purgeAlertState(
  alertState: AlertState,
  selection: AlertPurgeSelection,
): { readonly alertState: AlertState; readonly records: number } {
  const matcher = createPurgeMatcher(selection);
  const isPurged = (labels: Labels, seenMs: number): boolean =>
    matcher.isBefore(seenMs) || matcher.isSession(labels['server'], labels['session_id']);
  const next: AlertState = {
    loops: alertState.loops.filter((loop) => !isPurgedLoop(loop, selection)),
    storms: alertState.storms.filter(({ lastUs }) => !matcher.isBefore(lastUs / 1000)),
    book: {
      alerts: alertState.book.alerts.filter(({ labels, seenMs }) => !isPurged(labels, seenMs)),
      groups: alertState.book.groups.filter(
        ({ key, toldMs }) => !matcher.isBefore(toldMs) && !matcher.mentionsSession(key),
      ),
    },
    silences: alertState.silences.filter(
      ({ matchers }) =>
        !matchers.some(({ name, value }) => name === 'session_id' && matcher.mentionsSession(value)),
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
      ended: alertState.outbox.ended.filter(
        ({ sentence, createdMs }) => !matcher.isBefore(createdMs) && !matcher.mentionsSession(sentence),
      ),
    },
  };
  return { alertState: next, records: countRecords(alertState) - countRecords(next) };
}

/** Whether a loop's news is to be forgotten. */
export function isPurgedLoop(loop: LoopUpdate, selection: AlertPurgeSelection): boolean {
  const { isBefore, isSession } = createPurgeMatcher(selection);
  return isBefore(loop.lastMs) || isSession(loop.server, loop.sessionId);
}

function createPurgeMatcher({ sessions, beforeMs }: AlertPurgeSelection): PurgeMatcher {
  const keys = new Set(sessions.map(({ server, id }) => JSON.stringify([server ?? null, id])));
  const hasKey = (server: string | null | undefined, id: string | undefined): boolean =>
    keys.has(JSON.stringify([server ?? null, id]));
  return {
    isSession: (server, id) => id !== undefined && id !== '' && (hasKey(server, id) || hasKey(null, id)),
    isBefore: (ms) => beforeMs !== undefined && ms < beforeMs,
    mentionsSession: (text) => sessions.some(({ id }) => mentions(text, id)),
  };
}

/** As a word of its own, so that the end of session `1` is not the end of session `12`. */
function mentions(text: string, id: string): boolean {
  for (let at = text.indexOf(id); id !== '' && at !== -1; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + id.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

function removeAlerts(
  entry: OutboxEntry,
  isPurged: (labels: Labels, seenMs: number) => boolean,
): OutboxEntry[] {
  const { message } = entry;
  const alerts = message.alerts.filter(({ labels, seenMs }) => !isPurged(labels, seenMs));
  if (alerts.length === 0) return [];
  const left = new Set(alerts.map(({ fingerprint }) => fingerprint));
  const news = message.news.filter((fingerprint) => left.has(fingerprint));
  return [{ ...entry, message: { ...message, alerts, news } }];
}

function countRecords({ loops, storms, book, silences, unstored, outbox }: AlertState): number {
  const events = unstored.reduce((sum, batch) => sum + batch.events.length, 0);
  const messages = outbox.waiting.reduce((sum, { message }) => sum + message.alerts.length, 0);
  return (
    loops.length +
    storms.length +
    book.alerts.length +
    silences.length +
    events +
    messages +
    outbox.ended.length
  );
}

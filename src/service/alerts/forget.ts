// Takes out of the desk what speaks of sessions that are to be forgotten, or of what was last seen before an instant: alerts,
// messages that wait or were told, events that wait, silences. Nobody is told that such an alert has ended.

import type { LoopNotice } from '../../core/model/loop-notice.ts';
import type { Labels } from './alert.ts';
import type { Desk } from './desk.ts';
import type { OutboxEntry } from './outbox.ts';

export interface Forgotten {
  /** Without a server, the id of every server. */
  readonly sessions: readonly { readonly server?: string | undefined; readonly id: string }[];
  /** Epoch milliseconds. */
  readonly beforeMs: number | undefined;
}

interface Memory {
  readonly isSession: (server: string | undefined, id: string | undefined) => boolean;
  readonly isOld: (ms: number) => boolean;
  /** Whether a text names one of the sessions. */
  readonly isNamed: (text: string) => boolean;
}

/**
 * The desk without what is to be forgotten.
 *
 * @returns the desk, and how many records it lost
 */
export function forget(desk: Desk, forgotten: Forgotten): { readonly desk: Desk; readonly records: number } {
  const memory = toMemory(forgotten);
  const isOurs = (labels: Labels, seenMs: number): boolean =>
    memory.isOld(seenMs) || memory.isSession(labels['server'], labels['session_id']);
  const next: Desk = {
    loops: desk.loops.filter((loop) => !isForgottenLoop(loop, forgotten)),
    storms: desk.storms.filter(({ lastUs }) => !memory.isOld(lastUs / 1000)),
    book: {
      alerts: desk.book.alerts.filter(({ labels, seenMs }) => !isOurs(labels, seenMs)),
      groups: desk.book.groups.filter(({ key, toldMs }) => !memory.isOld(toldMs) && !memory.isNamed(key)),
    },
    silences: desk.silences.filter(
      ({ matchers }) => !matchers.some(({ name, value }) => name === 'session_id' && memory.isNamed(value)),
    ),
    unstored: desk.unstored
      .map((batch) => ({
        ...batch,
        events: batch.events.filter(({ labels, atMs }) => !isOurs(labels, atMs)),
      }))
      .filter(({ events }) => events.length > 0),
    outbox: {
      ...desk.outbox,
      waiting: desk.outbox.waiting.flatMap((entry) => withoutAlerts(entry, isOurs)),
      ended: desk.outbox.ended.filter(
        ({ sentence, createdMs }) => !memory.isOld(createdMs) && !memory.isNamed(sentence),
      ),
    },
  };
  return { desk: next, records: countRecords(desk) - countRecords(next) };
}

/** Whether a loop's news is to be forgotten. */
export function isForgottenLoop(loop: LoopNotice, forgotten: Forgotten): boolean {
  const { isOld, isSession } = toMemory(forgotten);
  return isOld(loop.lastMs) || isSession(loop.server, loop.sessionId);
}

function toMemory({ sessions, beforeMs }: Forgotten): Memory {
  const keys = new Set(sessions.map(({ server, id }) => JSON.stringify([server ?? null, id])));
  const has = (server: string | null | undefined, id: string | undefined): boolean =>
    keys.has(JSON.stringify([server ?? null, id]));
  return {
    isSession: (server, id) => id !== undefined && id !== '' && (has(server, id) || has(null, id)),
    isOld: (ms) => beforeMs !== undefined && ms < beforeMs,
    isNamed: (text) => sessions.some(({ id }) => names(text, id)),
  };
}

/** As a word of its own, so that the end of session `1` is not the end of session `12`. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); id !== '' && at !== -1; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + id.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

function withoutAlerts(
  entry: OutboxEntry,
  isOurs: (labels: Labels, seenMs: number) => boolean,
): OutboxEntry[] {
  const { message } = entry;
  const alerts = message.alerts.filter(({ labels, seenMs }) => !isOurs(labels, seenMs));
  if (alerts.length === 0) return [];
  const left = new Set(alerts.map(({ fingerprint }) => fingerprint));
  const news = message.news.filter((fingerprint) => left.has(fingerprint));
  return [{ ...entry, message: { ...message, alerts, news } }];
}

function countRecords({ loops, storms, book, silences, unstored, outbox }: Desk): number {
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

// The difference between two alert states, small enough to be written per change: new or changed entries of
// every list, and the keys of removed ones. That an alert was only seen again is written only occasionally.

import { z } from 'zod';
import type { AlertState } from './alert-state.ts';
import {
  AlertSchema,
  DeliverySchema,
  EventBatchSchema,
  GroupSchema,
  LoopNoticeSchema,
  OutboxEntrySchema,
  SilenceSchema,
  StormSchema,
} from './alert-state-schema.ts';

const listChangesSchema = <T extends z.ZodType>(entry: T) =>
  z.object({ set: z.array(entry).default([]), gone: z.array(z.string()).default([]) }).optional();

export const AlertStateChangesSchema = z.object({
  loops: listChangesSchema(LoopNoticeSchema),
  storms: listChangesSchema(StormSchema),
  alerts: listChangesSchema(AlertSchema),
  groups: listChangesSchema(GroupSchema),
  silences: listChangesSchema(SilenceSchema),
  unstored: listChangesSchema(EventBatchSchema),
  waiting: listChangesSchema(OutboxEntrySchema),
  ended: listChangesSchema(DeliverySchema),
  sequence: z.int().nonnegative().optional(),
  /** When alerts were last seen that are otherwise as they were. */
  seen: z.array(z.object({ ms: z.number(), fingerprints: z.array(z.string()) })).optional(),
});
export type AlertStateChanges = z.infer<typeof AlertStateChangesSchema>;

interface ListChanges<T> {
  readonly set: readonly T[];
  readonly gone: readonly string[];
}

/** Where an entry that is set goes: `moved` also takes one that was there to its end. */
type InsertPosition = 'end' | 'moved' | 'front';

/** Alerts seen again are written when the newest of it is this much newer than what is written. */
const SEEN_INTERVAL_MS = 30_000;

/** @returns what makes `before` into `after`; undefined when that is nothing */
export function diffAlertState(before: AlertState, after: AlertState): AlertStateChanges | undefined {
  const lists = {
    loops: diffList(before.loops, after.loops, ({ id }) => id),
    storms: diffList(before.storms, after.storms, ({ id }) => id),
    alerts: diffList(before.book.alerts, after.book.alerts, toFingerprint, withoutSeen),
    groups: diffList(before.book.groups, after.book.groups, ({ key }) => key),
    silences: diffList(before.silences, after.silences, ({ id }) => id),
    unstored: diffList(before.unstored, after.unstored, ({ token }) => token),
    waiting: diffList(before.outbox.waiting, after.outbox.waiting, ({ id }) => id),
    ended: diffList(before.outbox.ended, after.outbox.ended, ({ id }) => id),
  };
  const changed = Object.entries(lists).filter(([, list]) => list !== undefined);
  const { sequence } = after.outbox;
  const seen = diffSeen(before, after);
  if (changed.length === 0 && sequence === before.outbox.sequence && seen === undefined) return undefined;
  // Each list has the type of its name.
  return {
    ...(Object.fromEntries(changed) as AlertStateChanges),
    ...(sequence !== before.outbox.sequence && { sequence }),
    ...(seen && { seen }),
  };
}

type Alert = AlertState['book']['alerts'][number];

function toFingerprint({ fingerprint }: Alert): string {
  return fingerprint;
}

function withoutSeen(alert: Alert): Alert {
  return { ...alert, seenMs: 0 };
}

function diffList<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => string,
  normalise: (entry: T) => T = (entry) => entry,
): ListChanges<T> | undefined {
  if (before === after) return undefined;
  const known = new Map(before.map((entry) => [keyOf(entry), entry]));
  const isSame = (entry: T, old: T | undefined): boolean =>
    entry === old ||
    (old !== undefined && JSON.stringify(normalise(entry)) === JSON.stringify(normalise(old)));
  const set = after.filter((entry) => !isSame(entry, known.get(keyOf(entry))));
  const remaining = new Set(after.map(keyOf));
  const gone = [...known.keys()].filter((key) => !remaining.has(key));
  return set.length + gone.length === 0 ? undefined : { set, gone };
}

function diffSeen(before: AlertState, after: AlertState): AlertStateChanges['seen'] {
  const newest = ({ book }: AlertState): number =>
    book.alerts.reduce((newestMs, { seenMs }) => Math.max(newestMs, seenMs), 0);
  const sinceMs = newest(after) - newest(before);
  // Also where the clock was set back.
  if (sinceMs >= 0 && sinceMs < SEEN_INTERVAL_MS) return undefined;
  const known = new Map(before.book.alerts.map(({ fingerprint, seenMs }) => [fingerprint, seenMs]));
  const byTime = new Map<number, string[]>();
  for (const { fingerprint, seenMs } of after.book.alerts)
    if (known.get(fingerprint) !== seenMs) {
      const others = byTime.get(seenMs) ?? [];
      others.push(fingerprint);
      byTime.set(seenMs, others);
    }
  return [...byTime].map(([ms, fingerprints]) => ({ ms, fingerprints }));
}

/** @returns the desk as it was after those changes */
export function applyAlertStateChanges(alertState: AlertState, changes: AlertStateChanges): AlertState {
  const { loops, storms, alerts, groups, silences, unstored, waiting, ended } = changes;
  const { book, outbox } = alertState;
  const seen = new Map(changes.seen?.flatMap(({ ms, fingerprints }) => fingerprints.map((one) => [one, ms])));
  const withSeenMs = (alert: Alert): Alert => ({
    ...alert,
    seenMs: seen.get(alert.fingerprint) ?? alert.seenMs,
  });
  return {
    loops: applyListChanges(alertState.loops, loops, { keyOf: ({ id }) => id, position: 'moved' }),
    storms: applyListChanges(alertState.storms, storms, { keyOf: ({ id }) => id, position: 'moved' }),
    book: {
      alerts: applyListChanges(book.alerts, alerts, { keyOf: toFingerprint, position: 'end' }).map(
        withSeenMs,
      ),
      groups: applyListChanges(book.groups, groups, { keyOf: ({ key }) => key, position: 'end' }),
    },
    silences: applyListChanges(alertState.silences, silences, { keyOf: ({ id }) => id, position: 'end' }),
    unstored: applyListChanges(alertState.unstored, unstored, {
      keyOf: ({ token }) => token,
      position: 'end',
    }),
    outbox: {
      waiting: applyListChanges(outbox.waiting, waiting, { keyOf: ({ id }) => id, position: 'end' }),
      ended: applyListChanges(outbox.ended, ended, { keyOf: ({ id }) => id, position: 'front' }),
      sequence: changes.sequence ?? outbox.sequence,
    },
  };
}

function applyListChanges<T>(
  entries: readonly T[],
  changes: Partial<ListChanges<T>> | undefined,
  { keyOf, position }: { readonly keyOf: (entry: T) => string; readonly position: InsertPosition },
): readonly T[] {
  if (!changes) return entries;
  const { set = [], gone = [] } = changes;
  const byKey = new Map(set.map((entry) => [keyOf(entry), entry]));
  const leaves = new Set(position === 'moved' ? [...gone, ...byKey.keys()] : gone);
  const remaining = entries.filter((entry) => !leaves.has(keyOf(entry)));
  const known = new Set(remaining.map(keyOf));
  const fresh = set.filter((entry) => !known.has(keyOf(entry)));
  const changed = remaining.map((entry) => byKey.get(keyOf(entry)) ?? entry);
  return position === 'front' ? [...fresh, ...changed] : [...changed, ...fresh];
}

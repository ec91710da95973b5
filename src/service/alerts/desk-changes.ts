// What changed from one desk to the next, small enough to be written for each change: of every list the entries that are new or
// other, and the keys of those that are gone. That an alert was only seen again is no change: it is written now and then.

import { z } from 'zod';
import type { Desk } from './desk.ts';
import {
  AlertSchema,
  EndedSchema,
  EventBatchSchema,
  GroupSchema,
  NoticeSchema,
  SilenceSchema,
  StormSchema,
  WaitingSchema,
} from './desk-schema.ts';

const changesOf = <T extends z.ZodType>(entry: T) =>
  z.object({ set: z.array(entry).default([]), gone: z.array(z.string()).default([]) }).optional();

export const DeskChangesSchema = z.object({
  loops: changesOf(NoticeSchema),
  storms: changesOf(StormSchema),
  alerts: changesOf(AlertSchema),
  groups: changesOf(GroupSchema),
  silences: changesOf(SilenceSchema),
  unstored: changesOf(EventBatchSchema),
  waiting: changesOf(WaitingSchema),
  ended: changesOf(EndedSchema),
  sequence: z.int().nonnegative().optional(),
  /** When alerts were last seen that are otherwise as they were. */
  seen: z.array(z.object({ ms: z.number(), fingerprints: z.array(z.string()) })).optional(),
});
export type DeskChanges = z.infer<typeof DeskChangesSchema>;

interface ListChanges<T> {
  readonly set: readonly T[];
  readonly gone: readonly string[];
}

/** Where an entry that is set goes: `moved` also takes one that was there to its end. */
type Place = 'end' | 'moved' | 'front';

/** Alerts seen again are written when the newest of it is this much newer than what is written. */
const SEEN_EVERY_MS = 30_000;

/** @returns what makes `before` into `after`; undefined when that is nothing */
export function findChanges(before: Desk, after: Desk): DeskChanges | undefined {
  const lists = {
    loops: compare(before.loops, after.loops, ({ id }) => id),
    storms: compare(before.storms, after.storms, ({ id }) => id),
    alerts: compare(before.book.alerts, after.book.alerts, fingerprintOf, withoutSeen),
    groups: compare(before.book.groups, after.book.groups, ({ key }) => key),
    silences: compare(before.silences, after.silences, ({ id }) => id),
    unstored: compare(before.unstored, after.unstored, ({ token }) => token),
    waiting: compare(before.outbox.waiting, after.outbox.waiting, ({ id }) => id),
    ended: compare(before.outbox.ended, after.outbox.ended, ({ id }) => id),
  };
  const changed = Object.entries(lists).filter(([, list]) => list !== undefined);
  const { sequence } = after.outbox;
  const seen = findSeen(before, after);
  if (changed.length === 0 && sequence === before.outbox.sequence && seen === undefined) return undefined;
  // Each list has the type of its name.
  return {
    ...(Object.fromEntries(changed) as DeskChanges),
    ...(sequence !== before.outbox.sequence && { sequence }),
    ...(seen && { seen }),
  };
}

type Alert = Desk['book']['alerts'][number];

function fingerprintOf({ fingerprint }: Alert): string {
  return fingerprint;
}

function withoutSeen(alert: Alert): Alert {
  return { ...alert, seenMs: 0 };
}

function compare<T extends object>(
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
  const left = new Set(after.map(keyOf));
  const gone = [...known.keys()].filter((key) => !left.has(key));
  return set.length + gone.length === 0 ? undefined : { set, gone };
}

function findSeen(before: Desk, after: Desk): DeskChanges['seen'] {
  const newest = ({ book }: Desk): number =>
    book.alerts.reduce((most, { seenMs }) => Math.max(most, seenMs), 0);
  const sinceMs = newest(after) - newest(before);
  // Also where the clock was set back.
  if (sinceMs >= 0 && sinceMs < SEEN_EVERY_MS) return undefined;
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
export function applyChanges(desk: Desk, changes: DeskChanges): Desk {
  const { loops, storms, alerts, groups, silences, unstored, waiting, ended } = changes;
  const { book, outbox } = desk;
  const seen = new Map(changes.seen?.flatMap(({ ms, fingerprints }) => fingerprints.map((one) => [one, ms])));
  const seenAgain = (alert: Alert): Alert => ({
    ...alert,
    seenMs: seen.get(alert.fingerprint) ?? alert.seenMs,
  });
  return {
    loops: change(desk.loops, loops, { keyOf: ({ id }) => id, place: 'moved' }),
    storms: change(desk.storms, storms, { keyOf: ({ id }) => id, place: 'moved' }),
    book: {
      alerts: change(book.alerts, alerts, { keyOf: fingerprintOf, place: 'end' }).map(seenAgain),
      groups: change(book.groups, groups, { keyOf: ({ key }) => key, place: 'end' }),
    },
    silences: change(desk.silences, silences, { keyOf: ({ id }) => id, place: 'end' }),
    unstored: change(desk.unstored, unstored, { keyOf: ({ token }) => token, place: 'end' }),
    outbox: {
      waiting: change(outbox.waiting, waiting, { keyOf: ({ id }) => id, place: 'end' }),
      ended: change(outbox.ended, ended, { keyOf: ({ id }) => id, place: 'front' }),
      sequence: changes.sequence ?? outbox.sequence,
    },
  };
}

function change<T>(
  entries: readonly T[],
  changes: Partial<ListChanges<T>> | undefined,
  { keyOf, place }: { readonly keyOf: (entry: T) => string; readonly place: Place },
): readonly T[] {
  if (!changes) return entries;
  const { set = [], gone = [] } = changes;
  const byKey = new Map(set.map((entry) => [keyOf(entry), entry]));
  const leaves = new Set(place === 'moved' ? [...gone, ...byKey.keys()] : gone);
  const left = entries.filter((entry) => !leaves.has(keyOf(entry)));
  const known = new Set(left.map(keyOf));
  const fresh = set.filter((entry) => !known.has(keyOf(entry)));
  const changed = left.map((entry) => byKey.get(keyOf(entry)) ?? entry);
  return place === 'front' ? [...fresh, ...changed] : [...changed, ...fresh];
}

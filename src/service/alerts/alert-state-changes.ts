// The difference between two alert states, small enough to be written per change: new or changed entries of
// every list, and the keys of removed ones. That an alert was only seen again is written only occasionally.

import { z } from 'zod';
import { groupBy } from '../../core/values/group-by.ts';
import {
  type Alert,
  type AlertGroup,
  AlertGroupSchema,
  AlertSchema,
  type AlertState,
  DeliverySchema,
  type EventBatch,
  EventBatchSchema,
  type Infer,
  LoopUpdateSchema,
  MessageReferenceSchema,
  OutboxEntrySchema,
  RuleChangeSchema,
  SilenceSchema,
  StormSchema,
  withEarlierNames,
} from './alert-records.ts';

const listChangesSchema = <T extends z.ZodType>(entry: T) => {
  const changes = z.object({ set: z.array(entry).default([]), removed: z.array(z.string()).default([]) });
  return withEarlierNames(changes, { gone: 'removed' }).optional();
};

export const AlertStateChangesSchema = z.object({
  loops: listChangesSchema(LoopUpdateSchema),
  storms: listChangesSchema(StormSchema),
  alerts: listChangesSchema(AlertSchema),
  groups: listChangesSchema(AlertGroupSchema),
  silences: listChangesSchema(SilenceSchema),
  ruleChanges: listChangesSchema(RuleChangeSchema),
  unstored: listChangesSchema(EventBatchSchema),
  waiting: listChangesSchema(OutboxEntrySchema),
  ended: listChangesSchema(DeliverySchema),
  references: listChangesSchema(MessageReferenceSchema),
  sequence: z.int().nonnegative().optional(),
  evaluated: z.record(z.string(), z.number()).optional(),
  digests: z.record(z.string(), z.number()).optional(),
  /** Times at which otherwise unchanged alerts were last seen. */
  seen: z.array(z.object({ ms: z.number(), fingerprints: z.array(z.string()) })).optional(),
});
type AlertStateChanges = Infer<typeof AlertStateChangesSchema>;

interface ListChanges<T> {
  readonly set: readonly T[];
  readonly removed: readonly string[];
}

/** Where new entries are added. `moved`: at the end, and changed entries move there too. */
type InsertPosition = 'end' | 'moved' | 'front';

/** The last time alerts were seen is written when it is this much newer than the written one. */
const SEEN_INTERVAL_MS = 30_000;

/** @returns the changes from `before` to `after`; undefined if there are none */
export function diffAlertState(before: AlertState, after: AlertState): AlertStateChanges | undefined {
  const { sequence } = after.outbox;
  const changes: AlertStateChanges = {
    loops: diffList(before.loops, after.loops, toId),
    storms: diffList(before.storms, after.storms, toId),
    alerts: diffList(before.alertSet.alerts, after.alertSet.alerts, toFingerprint),
    groups: diffList(before.alertSet.groups, after.alertSet.groups, toGroupKey),
    silences: diffList(before.silences, after.silences, toId),
    ruleChanges: diffList(before.ruleChanges, after.ruleChanges, toId),
    unstored: diffList(before.unstored, after.unstored, toToken),
    waiting: diffList(before.outbox.waiting, after.outbox.waiting, toId),
    ended: diffList(before.outbox.ended, after.outbox.ended, toId),
    references: diffList(before.outbox.references, after.outbox.references, toId),
    sequence: sequence === before.outbox.sequence ? undefined : sequence,
    evaluated: after.evaluated === before.evaluated ? undefined : after.evaluated,
    digests: after.digests === before.digests ? undefined : after.digests,
    seen: diffSeen(before.alertSet.alerts, after.alertSet.alerts),
  };
  return Object.values(changes).some((change) => change !== undefined) ? changes : undefined;
}

const toId = ({ id }: { readonly id: string }): string => id;
const toFingerprint = ({ fingerprint }: Alert): string => fingerprint;
const toGroupKey = ({ key }: AlertGroup): string => key;
const toToken = ({ token }: EventBatch): string => token;

function diffList<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => string,
): ListChanges<T> | undefined {
  if (before === after) return undefined;
  const known = new Map(before.map((entry) => [keyOf(entry), entry]));
  const set = after.filter((entry) => {
    const old = known.get(keyOf(entry));
    return entry !== old && (!old || toComparableText(entry) !== toComparableText(old));
  });
  const remaining = new Set(after.map(keyOf));
  const removed = [...known.keys()].filter((key) => !remaining.has(key));
  return set.length + removed.length === 0 ? undefined : { set, removed };
}

/** The time an alert was last seen is written separately. */
function toComparableText(entry: object): string {
  return JSON.stringify({ ...entry, seenMs: 0 });
}

function diffSeen(before: readonly Alert[], after: readonly Alert[]): AlertStateChanges['seen'] {
  const sinceMs = findNewestSeenMs(after) - findNewestSeenMs(before);
  // A negative difference means that the clock was set back.
  if (sinceMs >= 0 && sinceMs < SEEN_INTERVAL_MS) return undefined;
  const known = new Map(before.map(({ fingerprint, seenMs }) => [fingerprint, seenMs]));
  const changed = after.filter(({ fingerprint, seenMs }) => known.get(fingerprint) !== seenMs);
  const groups = groupBy(changed, ({ seenMs }) => seenMs);
  return [...groups].map(([ms, alerts]) => ({ ms, fingerprints: alerts.map(toFingerprint) }));
}

function findNewestSeenMs(alerts: readonly Alert[]): number {
  return alerts.reduce((newestMs, { seenMs }) => Math.max(newestMs, seenMs), 0);
}

/** @returns the alert state with the changes applied */
export function applyAlertStateChanges(alertState: AlertState, changes: AlertStateChanges): AlertState {
  const { alertSet, outbox } = alertState;
  const seen = new Map(changes.seen?.flatMap(({ ms, fingerprints }) => fingerprints.map((one) => [one, ms])));
  const alerts = applyListChanges(alertSet.alerts, changes.alerts, toFingerprint);
  return {
    loops: applyListChanges(alertState.loops, changes.loops, toId, 'moved'),
    storms: applyListChanges(alertState.storms, changes.storms, toId, 'moved'),
    alertSet: {
      alerts: alerts.map((alert) => ({ ...alert, seenMs: seen.get(alert.fingerprint) ?? alert.seenMs })),
      groups: applyListChanges(alertSet.groups, changes.groups, toGroupKey),
    },
    silences: applyListChanges(alertState.silences, changes.silences, toId),
    evaluated: changes.evaluated ?? alertState.evaluated,
    ruleChanges: applyListChanges(alertState.ruleChanges, changes.ruleChanges, toId, 'front'),
    digests: changes.digests ?? alertState.digests,
    unstored: applyListChanges(alertState.unstored, changes.unstored, toToken),
    outbox: {
      waiting: applyListChanges(outbox.waiting, changes.waiting, toId),
      ended: applyListChanges(outbox.ended, changes.ended, toId, 'front'),
      references: applyListChanges(outbox.references, changes.references, toId, 'moved'),
      sequence: changes.sequence ?? outbox.sequence,
    },
  };
}

function applyListChanges<T>(
  entries: readonly T[],
  changes: ListChanges<T> | undefined,
  keyOf: (entry: T) => string,
  position: InsertPosition = 'end',
): readonly T[] {
  if (!changes) return entries;
  const { set, removed } = changes;
  const byKey = new Map(set.map((entry) => [keyOf(entry), entry]));
  const omitted = new Set(position === 'moved' ? [...removed, ...byKey.keys()] : removed);
  const remaining = entries.filter((entry) => !omitted.has(keyOf(entry)));
  const known = new Set(remaining.map(keyOf));
  const fresh = set.filter((entry) => !known.has(keyOf(entry)));
  const changed = remaining.map((entry) => byKey.get(keyOf(entry)) ?? entry);
  return position === 'front' ? [...fresh, ...changed] : [...changed, ...fresh];
}

// The outbox: pending and finished deliveries as pure functions over plain data. A message's id is created
// when it is enqueued and is its Idempotency-Key for every attempt. Messages about one group reach a receiver
// in order.

import { createHash } from 'node:crypto';
import { type BackoffLimits, computeBackoffMs } from '../../core/values/backoff.ts';
import type { AlertMessage, Delivery, Outbox, OutboxEntry } from './alert-records.ts';
import type { NotificationResult } from './receivers/notification.ts';

const MAX_WAITING = 1_000;
const MAX_ENDED = 200;
/** Messages of failed deliveries that can be sent again; each may have many alerts. */
const MAX_KEPT_MESSAGES = 20;
/** Firing groups that receivers can still change; older ones get a new message. */
const MAX_REFERENCES = 1_000;
const BACKOFF: BackoffLimits = { firstMs: 2_000, maxMs: 600_000, maxRetryAfterMs: 3_600_000 };
/** An alert that could not be delivered for a day is no longer news. */
const MAX_RETRY_AGE_MS = 24 * 3_600_000;

/** Adds one entry per receiver, except for the dashboard, which fetches alerts itself. */
export function enqueue(outbox: Outbox, messages: readonly AlertMessage[], nowMs: number): Outbox {
  const pairs = messages.flatMap((message) =>
    [...new Set(message.receivers)]
      .filter((receiver) => receiver !== 'dashboard')
      .map((receiver) => ({ message, receiver })),
  );
  if (pairs.length === 0) return outbox;
  const fresh = pairs.map(
    ({ message, receiver }, at): OutboxEntry => ({
      id: createMessageId([receiver, message.groupKey, String(outbox.sequence + at), String(nowMs)]),
      receiver,
      message,
      createdMs: nowMs,
      attempts: 0,
      lastMs: null,
      nextMs: nowMs,
      httpStatus: null,
      reason: '',
    }),
  );
  const waiting = [...outbox.waiting, ...fresh];
  const tooOld = waiting.slice(0, Math.max(0, waiting.length - MAX_WAITING));
  return {
    ...outbox,
    waiting: waiting.slice(tooOld.length),
    ended: prependDeliveries(
      tooOld.map((entry) => toDelivery(entry, 'failed', 'Too many messages were waiting.')),
      outbox.ended,
    ),
    sequence: outbox.sequence + pairs.length,
  };
}

function createMessageId(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** @returns the entries to attempt now: the oldest of each receiver and group, unless it is in flight */
export function findDueEntries(
  { waiting }: Outbox,
  { inFlight, nowMs }: { readonly inFlight: ReadonlySet<string>; readonly nowMs: number },
): readonly OutboxEntry[] {
  const queues = new Set<string>();
  return waiting.filter((entry) => {
    const queue = JSON.stringify([entry.receiver, entry.message.groupKey]);
    const isFirst = !queues.has(queue);
    queues.add(queue);
    // An attempt in the future means that the clock was set back since.
    const isTime = entry.nextMs <= nowMs || (entry.lastMs ?? entry.createdMs) > nowMs;
    return isFirst && !inFlight.has(entry.id) && isTime;
  });
}

/** Notes that an attempt begins, so that a kill before its answer is known after the restart. */
export function beginAttempt(outbox: Outbox, id: string): Outbox {
  const waiting = outbox.waiting.map((entry) => (entry.id === id ? { ...entry, isUnanswered: true } : entry));
  return { ...outbox, waiting };
}

interface AttemptOutcome {
  readonly id: string;
  readonly result: NotificationResult;
  /** Whether an earlier attempt had no answer. */
  readonly wasUnanswered?: boolean;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** Records the result of an attempt. */
export function recordAttempt(
  outbox: Outbox,
  { id, result, wasUnanswered = false, nowMs, random }: AttemptOutcome,
): Outbox {
  const entry = outbox.waiting.find((waiting) => waiting.id === id);
  if (!entry) return outbox;
  const attempts = entry.attempts + 1;
  const reason = result.status === 'delivered' ? '' : result.reason;
  const isUnanswered = wasUnanswered || (result.status === 'retry' && result.isUnanswered === true);
  const answered = { lastMs: nowMs, httpStatus: result.httpStatus, reason, isUnanswered };
  const tried: OutboxEntry = { ...entry, ...answered, attempts };
  if (result.status !== 'retry') {
    const next = updateReference(outbox, { entry, reference: findNextReference(entry, result) });
    return result.status === 'failed'
      ? failEntry(next, tried)
      : finishEntry(next, toDelivery(tried, result.status, reason));
  }
  const nextMs =
    nowMs + computeBackoffMs({ failures: attempts, retryAfterMs: result.retryAfterMs, random }, BACKOFF);
  if (nextMs - entry.createdMs > MAX_RETRY_AGE_MS) return failEntry(outbox, tried);
  const waiting = outbox.waiting.map((other) => (other.id === id ? { ...tried, nextMs } : other));
  return { ...outbox, waiting };
}

/** What the receiver answered to the last notification about this group, if it shows one that can change. */
export function findReference({ references }: Outbox, entry: OutboxEntry): string | undefined {
  return references.find(({ id }) => id === toReferenceId(entry))?.reference;
}

function toReferenceId({ receiver, message }: OutboxEntry): string {
  return createMessageId([receiver, message.groupKey]);
}

/** After the end of a group the next notification is a new message. `unchanged`: the earlier one still applies. */
function findNextReference({ message }: OutboxEntry, result: NotificationResult): string | undefined {
  if (message.status === 'resolved' || message.digest) return undefined;
  return result.status === 'delivered' ? (result.reference ?? 'unchanged') : 'unchanged';
}

function updateReference(
  outbox: Outbox,
  { entry, reference }: { readonly entry: OutboxEntry; readonly reference: string | undefined },
): Outbox {
  if (reference === 'unchanged') return outbox;
  const id = toReferenceId(entry);
  const others = outbox.references.filter((other) => other.id !== id);
  if (reference === undefined && others.length === outbox.references.length) return outbox;
  const references = reference === undefined ? others : [...others, { id, reference }];
  return { ...outbox, references: references.slice(-MAX_REFERENCES) };
}

/** Fails entries of receivers that are no longer configured. */
export function dropUnknownReceivers(outbox: Outbox, receivers: readonly string[]): Outbox {
  const lost = outbox.waiting.filter(({ receiver }) => !receivers.includes(receiver));
  return lost.reduce<Outbox>(
    (left, entry) => finishEntry(left, toDelivery(entry, 'failed', 'The receiver is no longer configured.')),
    outbox,
  );
}

/**
 * Makes an entry due now; a failed delivery becomes one again, under its earlier id.
 *
 * @returns undefined if there is no such delivery, or a later one about the same group would be overtaken
 */
export function retryDelivery(outbox: Outbox, id: string, nowMs: number): Outbox | undefined {
  const { waiting, ended } = outbox;
  if (waiting.some((entry) => entry.id === id))
    return {
      ...outbox,
      waiting: waiting.map((entry) => (entry.id === id ? { ...entry, nextMs: nowMs } : entry)),
    };
  const delivery = ended.find((other) => other.id === id);
  if (!delivery?.message || !canRetry(outbox, delivery)) return undefined;
  const { receiver, createdMs, attempts, lastMs, httpStatus, reason, message } = delivery;
  const attempted = { id, receiver, createdMs, attempts, lastMs, httpStatus, reason };
  return {
    ...outbox,
    waiting: [...waiting, { ...attempted, message, nextMs: nowMs }],
    ended: ended.filter((other) => other !== delivery),
  };
}

/** A message that overtakes a later one could reopen an incident that is then never closed. */
export function canRetry({ waiting }: Outbox, { message, receiver }: Delivery): boolean {
  if (message === undefined) return false;
  return !waiting.some((entry) => isAboutGroup(entry, { message, receiver }));
}

type GroupMessage = Pick<OutboxEntry, 'message' | 'receiver'>;

function isAboutGroup(one: GroupMessage, other: GroupMessage): boolean {
  return one.receiver === other.receiver && one.message.groupKey === other.message.groupKey;
}

/** Adds a delivery that was never queued, such as a test notification. */
export function addDelivery(outbox: Outbox, delivery: Delivery): Outbox {
  return { ...outbox, ended: prependDeliveries([delivery], outbox.ended) };
}

/** Keeps the message, so that it can be sent again. */
function failEntry(outbox: Outbox, entry: OutboxEntry): Outbox {
  const message = { ...entry.message, ...(entry.isUnanswered && { isPossibleRepeat: true }) };
  return finishEntry(outbox, { ...toDelivery(entry, 'failed', entry.reason), message });
}

function finishEntry(outbox: Outbox, delivery: Delivery): Outbox {
  const entry = outbox.waiting.find(({ id }) => id === delivery.id);
  const waiting = outbox.waiting.filter((other) => other !== entry);
  // An earlier message about the group is out of date.
  const ended = outbox.ended.map((other) =>
    entry && other.message && isAboutGroup(entry, { ...other, message: other.message })
      ? withoutMessage(other)
      : other,
  );
  return addDelivery({ ...outbox, waiting, ended }, delivery);
}

function prependDeliveries(fresh: readonly Delivery[], ended: readonly Delivery[]): readonly Delivery[] {
  let messages = 0;
  return [...fresh, ...ended].slice(0, MAX_ENDED).map((delivery) => {
    if (delivery.message === undefined) return delivery;
    messages += 1;
    return messages > MAX_KEPT_MESSAGES ? withoutMessage(delivery) : delivery;
  });
}

function toDelivery(entry: OutboxEntry, status: Delivery['status'], reason: string): Delivery {
  const { message, nextMs: _, isUnanswered: __, ...attempted } = entry;
  return { ...attempted, status, reason, ...summariseMessage(message) };
}

function withoutMessage({ message: _, ...delivery }: Delivery): Delivery {
  return delivery;
}

/** The fields of a message that a list of deliveries shows. */
export function summariseMessage(
  message: AlertMessage,
): Pick<Delivery, 'ruleId' | 'says' | 'alerts' | 'sentence'> {
  const { ruleId, status, alerts, truncated, digest } = message;
  return {
    ruleId,
    says: digest ? 'digest' : status,
    alerts: alerts.length + truncated,
    sentence: alerts[0]?.evidence.sentence ?? '',
  };
}

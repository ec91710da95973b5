// What is still to be said to whom, and what became of what was said: pure functions over plain data. A message's id is
// made once, when it is put here, and is its Idempotency-Key ever after. Messages about one group reach one receiver in
// order: an end never overtakes its beginning.

import { createHash } from 'node:crypto';
import type { AlertMessage } from './alert.ts';
import type { SendResult } from './notify.ts';
import { retryDelay } from './retry-delay.ts';

interface Attempted {
  readonly id: string;
  readonly receiver: string;
  readonly createdMs: number;
  readonly attempts: number;
  readonly lastMs: number | null;
  readonly httpStatus: number | null;
  readonly reason: string;
}

export interface OutboxEntry extends Attempted {
  readonly message: AlertMessage;
  /** Not to be tried before, in epoch milliseconds. */
  readonly nextMs: number;
}

/** One that ended. */
export interface Delivery extends Attempted {
  readonly status: 'delivered' | 'failed';
  readonly ruleId: string;
  readonly says: 'firing' | 'resolved' | 'test';
  readonly alerts: number;
  readonly sentence: string;
}

export interface Outbox {
  /** Oldest first. */
  readonly waiting: readonly OutboxEntry[];
  /** Newest first. */
  readonly ended: readonly Delivery[];
  /** Of the next entry. */
  readonly sequence: number;
}

export const EMPTY_OUTBOX: Outbox = { waiting: [], ended: [], sequence: 1 };

const MOST_WAITING = 1_000;
const MOST_ENDED = 200;
/** An alert that a receiver did not take for a day is history. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Puts one entry for each receiver; the dashboard asks for itself and has none. */
export function enqueue(outbox: Outbox, messages: readonly AlertMessage[], nowMs: number): Outbox {
  const pairs = messages.flatMap((message) =>
    [...new Set(message.receivers)]
      .filter((receiver) => receiver !== 'dashboard')
      .map((receiver) => ({ message, receiver })),
  );
  if (pairs.length === 0) return outbox;
  const fresh = pairs.map(({ message, receiver }, at): OutboxEntry => {
    const id = createId([receiver, message.groupKey, String(outbox.sequence + at), String(nowMs)]);
    return {
      id,
      receiver,
      message,
      createdMs: nowMs,
      attempts: 0,
      lastMs: null,
      nextMs: nowMs,
      httpStatus: null,
      reason: '',
    };
  });
  const waiting = [...outbox.waiting, ...fresh];
  const tooOld = waiting.slice(0, Math.max(0, waiting.length - MOST_WAITING));
  return {
    waiting: waiting.slice(tooOld.length),
    ended: keepNewest(
      tooOld.map((entry) => end(entry, 'failed', 'Too many messages were waiting.')),
      outbox.ended,
    ),
    sequence: outbox.sequence + pairs.length,
  };
}

export function createId(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** What may be tried now: of each receiver and group the oldest, unless it is being tried. */
export function dueEntries(
  { waiting }: Outbox,
  { inFlight, nowMs }: { readonly inFlight: ReadonlySet<string>; readonly nowMs: number },
): readonly OutboxEntry[] {
  const lanes = new Set<string>();
  return waiting.filter((entry) => {
    const lane = JSON.stringify([entry.receiver, entry.message.groupKey]);
    const isFirst = !lanes.has(lane);
    lanes.add(lane);
    // One that was tried later than now was tried by a clock that has been set back since.
    const isTime = entry.nextMs <= nowMs || (entry.lastMs ?? entry.createdMs) > nowMs;
    return isFirst && !inFlight.has(entry.id) && isTime;
  });
}

interface Settlement {
  readonly id: string;
  readonly result: SendResult;
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** Notes what an attempt came to. */
export function settle(outbox: Outbox, { id, result, nowMs, random }: Settlement): Outbox {
  const entry = outbox.waiting.find((waiting) => waiting.id === id);
  if (!entry) return outbox;
  const attempts = entry.attempts + 1;
  const reason = result.status === 'delivered' ? '' : result.reason;
  const tried: OutboxEntry = { ...entry, attempts, lastMs: nowMs, httpStatus: result.httpStatus, reason };
  if (result.status !== 'retry') return finish(outbox, end(tried, result.status, reason));
  const nextMs = nowMs + retryDelay({ attempts, askedMs: result.askedMs, random });
  if (nextMs - entry.createdMs > GIVE_UP_MS) return finish(outbox, end(tried, 'failed', reason));
  const waiting = outbox.waiting.map((other) => (other.id === id ? { ...tried, nextMs } : other));
  return { ...outbox, waiting };
}

/** Gives up what is addressed to receivers that are no more. */
export function dropUnknown(outbox: Outbox, receivers: readonly string[]): Outbox {
  const lost = outbox.waiting.filter(({ receiver }) => !receivers.includes(receiver));
  return lost.reduce<Outbox>(
    (left, entry) => finish(left, end(entry, 'failed', 'The receiver is no longer configured.')),
    outbox,
  );
}

/** Adds one that never waited, as the test button's. */
export function note(outbox: Outbox, delivery: Delivery): Outbox {
  return { ...outbox, ended: keepNewest([delivery], outbox.ended) };
}

function finish(outbox: Outbox, delivery: Delivery): Outbox {
  return note({ ...outbox, waiting: outbox.waiting.filter(({ id }) => id !== delivery.id) }, delivery);
}

function keepNewest(fresh: readonly Delivery[], ended: readonly Delivery[]): readonly Delivery[] {
  return [...fresh, ...ended].slice(0, MOST_ENDED);
}

function end(entry: OutboxEntry, status: Delivery['status'], reason: string): Delivery {
  const { message, nextMs: _, ...attempted } = entry;
  return { ...attempted, status, reason, ...summarise(message) };
}

/** What a list of deliveries shows of a message. */
export function summarise(message: AlertMessage): Pick<Delivery, 'ruleId' | 'says' | 'alerts' | 'sentence'> {
  const { ruleId, status, alerts, truncated } = message;
  return {
    ruleId,
    says: status,
    alerts: alerts.length + truncated,
    sentence: alerts[0]?.evidence.sentence ?? '',
  };
}

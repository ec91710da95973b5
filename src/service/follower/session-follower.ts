// From calls as they were taken to loops as they stand. A session whose calls come in the order they began is fed; one that
// is not known, or has a call from before its head, is replayed from the store, at most once a second: a fan-out of slow
// calls reports them in any order.

import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { Annotations } from './annotations.ts';
import { compareStarts, FollowedSession } from './followed-session.ts';
import type { LoopLedger } from './loop-ledger.ts';
import type { FollowedStore, LoopRevision, SessionCall, SessionIdentity } from './ports.ts';
import { reconcileLoops } from './reconcile.ts';
import { keyOf, SessionCache } from './session-cache.ts';

export interface SessionFollowerOptions {
  readonly store: FollowedStore;
  readonly ledger: LoopLedger;
  /** The node whose positions `upTo` counts. */
  readonly node: string;
  readonly thresholds: ThresholdTable | undefined;
  readonly sessionCapacity: number;
}

interface Stale {
  readonly session: SessionIdentity;
  /** Epoch milliseconds. */
  readonly notBeforeMs: number;
}

const REPLAY_EVERY_MS = 1_000;
/** A replay of more would hold up all others; a loop of ten thousand calls ago is written already. */
const CALLS_REPLAYED = 10_000;
const SESSIONS_COUNTED_AT_ONCE = 500;
const SESSIONS_REPLAYED_AT_ONCE = 50;

export class SessionFollower {
  readonly #options: SessionFollowerOptions;
  readonly #annotations: Annotations;
  readonly #cache: SessionCache;
  readonly #stale = new Map<string, Stale>();
  readonly #replayedAtMs = new WeakMap<FollowedSession, number>();

  constructor(options: SessionFollowerOptions) {
    this.#options = options;
    this.#annotations = new Annotations(options.store);
    this.#cache = new SessionCache(options.sessionCapacity);
  }

  /** Sessions that wait for a replay: what they led to is not known yet. */
  get waiting(): number {
    return this.#stale.size;
  }

  /** Has a session replayed, whatever is known of it. */
  invalidate(session: SessionIdentity): void {
    this.#stale.set(keyOf(session), { session, notBeforeMs: 0 });
  }

  /**
   * Takes the next calls. Either all of them or, when the store fails, none: nothing is fed before everything was read.
   * @param nowMs epoch milliseconds
   */
  async take(calls: readonly SessionCall[], nowMs: number): Promise<void> {
    const groups = groupBySession(calls);
    await this.#annotations.refresh(
      calls.map(({ session }) => session.server),
      nowMs,
    );
    const known = new Map([...groups.keys()].map((key) => [key, this.#cache.get(key)]));
    const strangers = [...groups].filter(([key]) => known.get(key) === undefined && !this.#stale.has(key));
    const sizes = await this.#countCalls(strangers.flatMap(([, [first]]) => first?.session ?? []));
    for (const [key, group] of groups) {
      const session = known.get(key) ?? (sizes.get(key) === group.length ? this.#open(key) : undefined);
      if (session === undefined || this.#stale.has(key)) this.#wait(key, group, session);
      else this.#feed(session, { key, group });
    }
  }

  #open(key: string): FollowedSession {
    const session = new FollowedSession(this.#options.thresholds);
    session.startForgetting();
    this.#cache.set(key, session);
    return session;
  }

  #wait(key: string, group: readonly SessionCall[], session: FollowedSession | undefined): void {
    const identity = group[0]?.session;
    if (identity === undefined || this.#stale.has(key)) return;
    const replayedAtMs = session && this.#replayedAtMs.get(session);
    const notBeforeMs = replayedAtMs === undefined ? 0 : replayedAtMs + REPLAY_EVERY_MS;
    this.#stale.set(key, { session: identity, notBeforeMs });
  }

  #feed(
    session: FollowedSession,
    { key, group }: { readonly key: string; readonly group: readonly SessionCall[] },
  ): void {
    const [first, ...rest] = [...group].sort((a, b) => compareStarts(a.call, b.call));
    if (first === undefined) return;
    if (session.isPast(first.call)) {
      this.#wait(key, group, session);
      return;
    }
    for (const stored of [first, ...rest])
      for (const changed of session.feed(this.#annotate(stored))) this.#options.ledger.put(changed);
  }

  #annotate(stored: SessionCall): SessionCall {
    return { ...stored, call: this.#annotations.annotate(stored.call) };
  }

  async #countCalls(sessions: readonly SessionIdentity[]): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (let from = 0; from < sessions.length; from += SESSIONS_COUNTED_AT_ONCE) {
      const part = sessions.slice(from, from + SESSIONS_COUNTED_AT_ONCE);
      for (const { session, calls } of await this.#options.store.countSessionCalls(part))
        sizes.set(keyOf(session), calls);
    }
    return sizes;
  }

  /**
   * Replays the sessions that wait for it.
   * @param upTo calls of our node beyond this position come later and are left out
   * @param nowMs epoch milliseconds
   */
  async replay(upTo: number, nowMs: number): Promise<void> {
    const due = [...this.#stale].filter(([, { notBeforeMs }]) => notBeforeMs <= nowMs);
    for (let from = 0; from < due.length; from += SESSIONS_REPLAYED_AT_ONCE) {
      const part = due.slice(from, from + SESSIONS_REPLAYED_AT_ONCE);
      await this.#replaySome(
        part.map(([, { session }]) => session),
        { upTo, nowMs },
      );
      for (const [key] of part) this.#stale.delete(key);
    }
  }

  async #replaySome(
    identities: readonly SessionIdentity[],
    { upTo, nowMs }: { readonly upTo: number; readonly nowMs: number },
  ): Promise<void> {
    const { store, node } = this.#options;
    const stored = await store.readSessionCalls(identities, CALLS_REPLAYED);
    const loops = await store.readSessionLoops(identities);
    await this.#annotations.refresh(
      identities.map(({ server }) => server),
      nowMs,
    );
    const calls = groupBySession(
      stored.filter(({ ingestNode, ingestSeq }) => ingestNode !== node || ingestSeq <= upTo),
    );
    for (const identity of identities) {
      const key = keyOf(identity);
      const known = loops.filter(({ record }) => record.treeId === '' && keyOf(identityOf(record)) === key);
      this.#replayOne(identity, { calls: calls.get(key) ?? [], known, nowMs });
    }
  }

  #replayOne(
    identity: SessionIdentity,
    { calls, known, nowMs }: { calls: readonly SessionCall[]; known: readonly LoopRevision[]; nowMs: number },
  ): void {
    const { ledger, thresholds } = this.#options;
    const session = new FollowedSession(thresholds);
    for (const call of calls) session.feed(this.#annotate(call));
    for (const loop of session.loops) ledger.settle(loop, nowMs);
    const fromUs = calls[0]?.call.startedAtUs ?? Number.POSITIVE_INFINITY;
    const names = new Set(known.map(({ record }) => record.id));
    // What is in the store, and what is on its way there.
    const unwritten = ledger.unwrittenOf(identity).filter(({ record }) => !names.has(record.id));
    const changed = reconcileLoops(session.loops, [...known, ...unwritten], fromUs);
    for (const loop of session.loops) if (loop.record.state === 'active') ledger.adopt(loop, nowMs);
    for (const change of changed) ledger.put(change);
    session.startForgetting();
    this.#replayedAtMs.set(session, nowMs);
    this.#cache.set(keyOf(identity), session);
  }
}

function identityOf({ server, sessionSource, sessionId }: LoopRevision['record']): SessionIdentity {
  return { server, source: sessionSource, id: sessionId };
}

function groupBySession(calls: readonly SessionCall[]): Map<string, SessionCall[]> {
  const groups = new Map<string, SessionCall[]>();
  for (const call of calls) {
    const key = keyOf(call.session);
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return groups;
}

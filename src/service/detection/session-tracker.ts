// Turns accepted calls into current loops. A session whose calls arrive in start order is fed; an unknown
// session, or one with a call from before its head, is replayed from the store at most once a second, because
// concurrent slow calls are reported in any order.

import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { type SessionIdentity, toSessionIdentity, toSessionKey } from '../../core/model/session.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { LoopRevision } from '../store/loop-rows.ts';
import type { SessionCall } from '../store/session-calls.ts';
import type { DetectionStore } from './detection-store.ts';
import type { LoopWriteBuffer } from './loop-write-buffer.ts';
import { mergeRebuiltLoops } from './merge-rebuilt-loops.ts';
import { ToolAnnotationsCache } from './tool-annotations-cache.ts';
import { compareStartOrder, TrackedSession } from './tracked-session.ts';

export interface SessionTrackerOptions {
  readonly store: DetectionStore;
  readonly loopWrites: LoopWriteBuffer;
  /** The ingest node whose calls are read. */
  readonly node: string;
  readonly thresholds: ThresholdTable | undefined;
  readonly sessionCapacity: number;
}

interface StaleSession {
  readonly session: SessionIdentity;
  /** Epoch milliseconds. */
  readonly notBeforeMs: number;
}

const REBUILD_INTERVAL_MS = 1_000;
/** Bounds the time of a replay; loops before these calls are already written. */
const MAX_REBUILD_CALLS = 10_000;
const COUNT_BATCH_SIZE = 500;
const REBUILD_BATCH_SIZE = 50;

export class SessionTracker {
  readonly #options: SessionTrackerOptions;
  readonly #annotations: ToolAnnotationsCache;
  /** Least recently fed first; an evicted session is replayed from the store when it continues. */
  readonly #sessions = new Map<string, TrackedSession>();
  readonly #stale = new Map<string, StaleSession>();
  readonly #rebuiltAtMs = new WeakMap<TrackedSession, number>();

  constructor(options: SessionTrackerOptions) {
    this.#options = options;
    this.#annotations = new ToolAnnotationsCache(options.store);
  }

  /** Number of sessions that wait for a replay. */
  get pendingRebuildCount(): number {
    return this.#stale.size;
  }

  /** Marks a session for replay. */
  invalidate(session: SessionIdentity): void {
    this.#stale.set(toSessionKey(session), { session, notBeforeMs: 0 });
  }

  /** Adds all of the calls or, when the store fails, none, because everything is read before anything is fed. */
  async addCalls(calls: readonly SessionCall[], nowMs: number): Promise<void> {
    const groups = groupBy(calls, ({ session }) => toSessionKey(session));
    await this.#annotations.refresh(
      calls.map(({ session }) => session.server),
      nowMs,
    );
    const known = new Map([...groups.keys()].map((key) => [key, this.#sessions.get(key)]));
    const unknown = [...groups].filter(([key]) => known.get(key) === undefined && !this.#stale.has(key));
    const sizes = await this.#countCalls(unknown.flatMap(([, [first]]) => first?.session ?? []));
    for (const [key, session] of known) if (session) this.#keep(key, session);
    for (const [key, group] of groups) {
      const session =
        known.get(key) ?? (sizes.get(key) === group.length ? this.#openSession(key) : undefined);
      if (session === undefined || this.#stale.has(key)) this.#markStale(key, group, session);
      else this.#feedCalls(session, { key, group });
    }
  }

  /** Makes the session the most recent one, and evicts the least recent one beyond the capacity. */
  #keep(key: string, session: TrackedSession): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > this.#options.sessionCapacity && oldest !== undefined)
      this.#sessions.delete(oldest);
  }

  #openSession(key: string): TrackedSession {
    const session = new TrackedSession(this.#options.thresholds);
    session.limitMemory();
    this.#keep(key, session);
    return session;
  }

  #markStale(key: string, group: readonly SessionCall[], session: TrackedSession | undefined): void {
    const identity = group[0]?.session;
    if (identity === undefined || this.#stale.has(key)) return;
    const replayedAtMs = session && this.#rebuiltAtMs.get(session);
    const notBeforeMs = replayedAtMs === undefined ? 0 : replayedAtMs + REBUILD_INTERVAL_MS;
    this.#stale.set(key, { session: identity, notBeforeMs });
  }

  #feedCalls(
    session: TrackedSession,
    { key, group }: { readonly key: string; readonly group: readonly SessionCall[] },
  ): void {
    const [first, ...rest] = [...group].sort((a, b) => compareStartOrder(a.call, b.call));
    if (first === undefined) return;
    if (session.isBeforeHead(first.call)) {
      this.#markStale(key, group, session);
      return;
    }
    for (const stored of [first, ...rest])
      for (const changed of session.feed(this.#annotate(stored))) this.#options.loopWrites.addChange(changed);
  }

  #annotate(stored: SessionCall): SessionCall {
    return { ...stored, call: this.#annotations.annotate(stored.call) };
  }

  async #countCalls(sessions: readonly SessionIdentity[]): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (let from = 0; from < sessions.length; from += COUNT_BATCH_SIZE) {
      const part = sessions.slice(from, from + COUNT_BATCH_SIZE);
      for (const { session, calls } of await this.#options.store.countSessionCalls(part))
        sizes.set(toSessionKey(session), calls);
    }
    return sizes;
  }

  /**
   * Replays the sessions that wait for it.
   *
   * @param upTo calls of the node after this position are left out, because they are added later
   */
  async rebuildStale(upTo: number, nowMs: number): Promise<void> {
    const due = [...this.#stale].filter(([, { notBeforeMs }]) => notBeforeMs <= nowMs);
    for (let from = 0; from < due.length; from += REBUILD_BATCH_SIZE) {
      const part = due.slice(from, from + REBUILD_BATCH_SIZE);
      await this.#rebuildBatch(
        part.map(([, { session }]) => session),
        { upTo, nowMs },
      );
      for (const [key] of part) this.#stale.delete(key);
    }
  }

  async #rebuildBatch(
    identities: readonly SessionIdentity[],
    { upTo, nowMs }: { readonly upTo: number; readonly nowMs: number },
  ): Promise<void> {
    const { store, node } = this.#options;
    const stored = await store.readSessionCalls(identities, MAX_REBUILD_CALLS);
    const loops = await store.readSessionLoops(identities);
    await this.#annotations.refresh(
      identities.map(({ server }) => server),
      nowMs,
    );
    const calls = groupBy(
      stored.filter(({ ingestNode, ingestSeq }) => ingestNode !== node || ingestSeq <= upTo),
      ({ session }) => toSessionKey(session),
    );
    for (const identity of identities) {
      const key = toSessionKey(identity);
      const known = loops.filter(
        ({ record }) => record.treeId === '' && toSessionKey(toSessionIdentity(record)) === key,
      );
      this.#rebuildSession(identity, { calls: calls.get(key) ?? [], known, nowMs });
    }
  }

  #rebuildSession(
    identity: SessionIdentity,
    { calls, known, nowMs }: { calls: readonly SessionCall[]; known: readonly LoopRevision[]; nowMs: number },
  ): void {
    const { loopWrites, thresholds } = this.#options;
    const session = new TrackedSession(thresholds);
    for (const call of calls) session.feed(this.#annotate(call));
    for (const loop of session.loops) loopWrites.endIfQuiet(loop, nowMs);
    const fromUs = calls[0]?.call.startedAtUs ?? Number.POSITIVE_INFINITY;
    const names = new Set(known.map(({ record }) => record.id));
    const unwritten = loopWrites.listUnwritten(identity).filter(({ record }) => !names.has(record.id));
    const changed = mergeRebuiltLoops(session.loops, [...known, ...unwritten], fromUs);
    for (const loop of session.loops) if (loop.record.state === 'active') loopWrites.track(loop, nowMs);
    for (const change of changed) loopWrites.addChange(change);
    session.limitMemory();
    this.#rebuiltAtMs.set(session, nowMs);
    this.#keep(toSessionKey(identity), session);
  }
}

// Turns accepted calls into current loops. A session whose calls arrive in start order is fed; an unknown
// session, or one with a call from before its head, is replayed from the store at most once a second, because
// concurrent slow calls are reported in any order.

import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import type { DetectionStore, LoopRevision, SessionCall, SessionIdentity } from './detection-store.ts';
import type { LoopWriteBuffer } from './loop-write-buffer.ts';
import { mergeRebuiltLoops } from './merge-rebuilt-loops.ts';
import { SessionCache, toSessionKey } from './session-cache.ts';
import { ToolAnnotationsCache } from './tool-annotations-cache.ts';
import { compareStartOrder, TrackedSession } from './tracked-session.ts';

export interface SessionTrackerOptions {
  readonly store: DetectionStore;
  readonly loopWrites: LoopWriteBuffer;
  /** The node whose positions `idsBelow` counts. */
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
/** A replay of more would hold up all others; a loop of ten thousand calls ago is written already. */
const MAX_REBUILD_CALLS = 10_000;
const COUNT_BATCH_SIZE = 500;
const REBUILD_BATCH_SIZE = 50;

export class SessionTracker {
  readonly #options: SessionTrackerOptions;
  readonly #annotations: ToolAnnotationsCache;
  readonly #cache: SessionCache;
  readonly #stale = new Map<string, StaleSession>();
  readonly #rebuiltAtMs = new WeakMap<TrackedSession, number>();

  constructor(options: SessionTrackerOptions) {
    this.#options = options;
    this.#annotations = new ToolAnnotationsCache(options.store);
    this.#cache = new SessionCache(options.sessionCapacity);
  }

  /** Sessions that wait for a replay: what they led to is not known yet. */
  get pendingRebuildCount(): number {
    return this.#stale.size;
  }

  /** Marks a session for replay. */
  invalidate(session: SessionIdentity): void {
    this.#stale.set(toSessionKey(session), { session, notBeforeMs: 0 });
  }

  /**
   * Adds the next calls: all of them or, when the store fails, none, because everything is read before
   * anything is fed.
   *
   * @param nowMs epoch milliseconds
   */
  async addCalls(calls: readonly SessionCall[], nowMs: number): Promise<void> {
    const groups = groupBySession(calls);
    await this.#annotations.refresh(
      calls.map(({ session }) => session.server),
      nowMs,
    );
    const known = new Map([...groups.keys()].map((key) => [key, this.#cache.get(key)]));
    const unknown = [...groups].filter(([key]) => known.get(key) === undefined && !this.#stale.has(key));
    const sizes = await this.#countCalls(unknown.flatMap(([, [first]]) => first?.session ?? []));
    for (const [key, group] of groups) {
      const session =
        known.get(key) ?? (sizes.get(key) === group.length ? this.#openSession(key) : undefined);
      if (session === undefined || this.#stale.has(key)) this.#markStale(key, group, session);
      else this.#feedCalls(session, { key, group });
    }
  }

  #openSession(key: string): TrackedSession {
    const session = new TrackedSession(this.#options.thresholds);
    session.limitMemory();
    this.#cache.set(key, session);
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
   * @param idsBelow calls of our node beyond this position come later and are left out
   * @param nowMs epoch milliseconds
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
    const calls = groupBySession(
      stored.filter(({ ingestNode, ingestSeq }) => ingestNode !== node || ingestSeq <= upTo),
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
    // What is in the store, and what is on its way there.
    const unwritten = loopWrites.listUnwritten(identity).filter(({ record }) => !names.has(record.id));
    const changed = mergeRebuiltLoops(session.loops, [...known, ...unwritten], fromUs);
    for (const loop of session.loops) if (loop.record.state === 'active') loopWrites.track(loop, nowMs);
    for (const change of changed) loopWrites.addChange(change);
    session.limitMemory();
    this.#rebuiltAtMs.set(session, nowMs);
    this.#cache.set(toSessionKey(identity), session);
  }
}

function toSessionIdentity({ server, sessionSource, sessionId }: LoopRevision['record']): SessionIdentity {
  return { server, source: sessionSource, id: sessionId };
}

function groupBySession(calls: readonly SessionCall[]): Map<string, SessionCall[]> {
  const groups = new Map<string, SessionCall[]>();
  for (const call of calls) {
    const key = toSessionKey(call.session);
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return groups;
}

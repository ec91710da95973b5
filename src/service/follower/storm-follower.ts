// Storms as they are followed: fed with every call and loop, written as they begin, grow and end. A loop that is a part of one
// carries its id. What is recovered after a start are the storms that were open, by their names, and the last minutes.

import type { StormRecord } from '../../core/model/storm-record.ts';
import { failureOf } from '../../core/storms/failure.ts';
import { StormWatch } from '../../core/storms/storm.ts';
import type { StormThresholds } from '../../core/storms/thresholds.ts';
import type { LiveLoop } from './live-loop.ts';
import type { FollowedStore, SessionCall, StormPart, StormRevision } from './ports.ts';
import { keyOf } from './session-cache.ts';

interface Written {
  readonly record: StormRecord;
  readonly revision: number;
  readonly atMs: number;
}

const GROWTH_EVERY_MS = 1_000;
/** Storms that ended are remembered so long, should calls of theirs come late. */
const REMEMBERED_MS = 3_600_000;
/**
 * How long nobody is told of a loop made of a failure that other sessions have met too and that is no storm yet. Agents do
 * not fail in step: the quickest is suspected after four failures, while the fifth session has met its first. A few seconds
 * later it is a storm, and one alert, or it is none and the alert is a few seconds late. A loop nobody shares is never held.
 */
const HOLD_MS = 6_000;

export class StormFollower {
  readonly #store: FollowedStore;
  readonly #watch: StormWatch;
  readonly #windowMs: number;
  readonly #written = new Map<string, Written>();
  /** By id of the loop, until when it is held. */
  readonly #holds = new Map<string, number>();

  constructor(store: FollowedStore, thresholds: StormThresholds) {
    this.#store = store;
    this.#watch = new StormWatch(thresholds);
    this.#windowMs = thresholds.stormMinutes * 60_000;
  }

  /** @param recent calls of the last minutes that were read before, in the order they were taken */
  async recover(
    recent: readonly SessionCall[],
    { node, upTo, nowMs }: { readonly node: string; readonly upTo: number; readonly nowMs: number },
  ): Promise<void> {
    const known = await this.#store.readOpenStorms((nowMs - this.#windowMs) * 1000);
    // All is read before anything is fed: whoever is tried again must not have been fed half.
    const parts = await Promise.all(
      known.map(({ record }) => this.#store.readStormParts(record, { node, upTo })),
    );
    for (const { record, revision } of known) {
      this.#watch.restore(record);
      this.#written.set(record.id, { record, revision, atMs: nowMs });
    }
    this.take(recent, nowMs);
    for (const [at, { record }] of known.entries())
      this.#watch.recount(record.id, sumParts(record, parts[at] ?? []));
  }

  take(calls: readonly SessionCall[], nowMs: number): void {
    for (const { session, environment, call } of calls) {
      const arrived = { session: keyOf(session), server: session.server, environment, call };
      this.#watch.feed(arrived, nowMs * 1000);
    }
  }

  /**
   * Looks at the loops that go on: which are a part of a storm, and which may be one in a moment.
   * @returns those that turned out to be part of one
   */
  fold(loops: readonly LiveLoop[], nowMs: number): readonly LiveLoop[] {
    const own = loops.filter(({ record }) => record.state === 'active' && record.treeId === '');
    for (const loop of own) if (this.#failureStormOf(loop) === '') this.#feedLoop(loop);
    this.#watch.expire(nowMs * 1000);
    const ids = new Set(own.map(({ record }) => record.id));
    for (const id of this.#holds.keys()) if (!ids.has(id)) this.#holds.delete(id);
    return own.filter((loop) => {
      const stormId = loop.record.stormId === '' ? this.#stormOf(loop) : '';
      if (stormId !== '') loop.record = { ...loop.record, stormId };
      else this.#hold(loop, nowMs);
      return stormId !== '';
    });
  }

  /** Until when nobody is told of a loop; 0: at once. */
  heldUntilMs(id: string): number {
    return this.#holds.get(id) ?? 0;
  }

  /** Whether the storm of that id goes on. */
  isOpen(id: string): boolean {
    return id !== '' && this.#watch.isOpen(id);
  }

  /** What is to be written now. */
  due(nowMs: number): readonly StormRevision[] {
    this.#watch.expire(nowMs * 1000);
    return this.#watch.storms.flatMap((record) => {
      const written = this.#written.get(record.id);
      if (written === undefined) return { record, revision: 1 };
      const isTurned = written.record.state !== record.state;
      const isGrown = written.record.calls !== record.calls || written.record.sessions !== record.sessions;
      const isDue = isTurned || (isGrown && nowMs - written.atMs >= GROWTH_EVERY_MS);
      return isDue ? { record, revision: written.revision + 1 } : [];
    });
  }

  wrote(revisions: readonly StormRevision[], nowMs: number): void {
    for (const { record, revision } of revisions)
      this.#written.set(record.id, { record, revision, atMs: nowMs });
    for (const [id, { record }] of this.#written)
      if (record.state === 'over' && nowMs - record.lastUs / 1000 > REMEMBERED_MS) this.#written.delete(id);
  }

  #failureStormOf({ failure, record }: LiveLoop): string {
    return failure === '' ? '' : this.#watch.stormOfFailure(failure, record);
  }

  #stormOf(loop: LiveLoop): string {
    const { server, environment, kind, severity, tools } = loop.record;
    const ofFailure = this.#failureStormOf(loop);
    if (ofFailure !== '' || severity === 'note') return ofFailure;
    return this.#watch.stormOfLoop({ server, environment, kind, tools: tools.toSorted() });
  }

  #feedLoop({ record }: LiveLoop): void {
    const { server, environment, kind, severity, tools, wastedCalls, onsetUs, lastUs } = record;
    if (severity === 'note') return;
    const session = sessionOf(record);
    const times = { firstUs: onsetUs, lastUs, wastedCalls };
    this.#watch.feedLoop({ server, environment, session, kind, tools: tools.toSorted(), ...times });
  }

  #hold({ record, failure }: LiveLoop, nowMs: number): void {
    const { id, server, environment, severity, stormId } = record;
    if (severity === 'note' || stormId !== '' || this.#holds.has(id)) return;
    const where = { server, environment, session: sessionOf(record) };
    const isShared = failure !== '' && this.#watch.isMetByOthers(failure, where);
    this.#holds.set(id, isShared ? nowMs + HOLD_MS : 0);
  }
}

function sessionOf({ server, sessionSource, sessionId }: LiveLoop['record']): string {
  return keyOf({ server, source: sessionSource, id: sessionId });
}

/** The sessions of a storm with their calls; messages that only share its code are another failure. */
function sumParts(record: StormRecord, parts: readonly StormPart[]) {
  const { kind, code, template, server, environment } = record;
  const own = parts.filter(
    ({ errorMessage }) =>
      kind === 'loop' ||
      template === '' ||
      failureOf({ ...A_FAILURE, errorCode: code, errorMessage }, { server, environment })?.template ===
        template,
  );
  const sessions = new Map<string, number>();
  for (const { session, calls } of own) {
    const key = keyOf(session);
    sessions.set(key, (sessions.get(key) ?? 0) + calls);
  }
  return [...sessions].map(([session, calls]) => ({ session, calls }));
}

const A_FAILURE = { outcome: 'tool_error', errorInResult: false } as const;

// Tracks storms: fed with every call and loop, written as they begin, grow and end. A loop in a storm carries
// its id. After a start, open storms are restored by id, and the last minutes are replayed.

import { toSessionIdentity, toSessionKey } from '../../core/model/session.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import type { StormThresholds } from '../../core/storms/detect-storm.ts';
import { toFailureSignature } from '../../core/storms/failure-signature.ts';
import { StormDetector } from '../../core/storms/storm-detector.ts';
import type { SessionCall } from '../store/session-calls.ts';
import type { StormRevision, StormSession } from '../store/storm-rows.ts';
import type { DetectionStore } from './detection-store.ts';
import type { TrackedLoop } from './tracked-loop.ts';

const GROWTH_WRITE_INTERVAL_MS = 1_000;
/** Ended storms are remembered this long for late calls. */
const ENDED_STORM_RETENTION_MS = 3_600_000;
/**
 * Delay before publishing a loop on a failure that other sessions share but that is not a storm yet. Agents
 * do not fail in step: the quickest is suspected after four failures, while the fifth session has its first.
 * A few seconds later it is either a storm with one alert, or the loop's alert is a few seconds late.
 * Unshared loops are never held.
 */
const SHARED_FAILURE_HOLD_MS = 6_000;

export class StormTracker {
  readonly #store: DetectionStore;
  readonly #detector: StormDetector;
  readonly #windowMs: number;
  readonly #written = new Map<string, StormRevision & { readonly atMs: number }>();
  /** By loop id: the time until which the loop is held back. */
  readonly #heldUntilMs = new Map<string, number>();

  constructor(store: DetectionStore, thresholds: StormThresholds) {
    this.#store = store;
    this.#detector = new StormDetector(thresholds);
    this.#windowMs = thresholds.stormMinutes * 60_000;
  }

  /** @param recent already read calls of the last minutes, in ingest order */
  async warmUp(
    recent: readonly SessionCall[],
    { node, upTo, nowMs }: { readonly node: string; readonly upTo: number; readonly nowMs: number },
  ): Promise<void> {
    const known = await this.#store.readOpenStorms((nowMs - this.#windowMs) * 1000);
    // Everything is read before anything is fed, so that a retry does not feed anything twice.
    const stormSessions = await Promise.all(
      known.map(({ record }) => this.#store.readStormSessions(record, { node, upTo })),
    );
    for (const { record, revision } of known) {
      this.#detector.restore(record);
      this.#written.set(record.id, { record, revision, atMs: nowMs });
    }
    this.addCalls(recent, nowMs);
    for (const [at, { record }] of known.entries())
      this.#detector.restoreCounts(record.id, sumSessionCalls(record, stormSessions[at] ?? []));
  }

  addCalls(calls: readonly SessionCall[], nowMs: number): void {
    for (const { session, environment, call } of calls) {
      const arrived = { session: toSessionKey(session), server: session.server, environment, call };
      this.#detector.feed(arrived, nowMs * 1000);
    }
  }

  /**
   * Assigns active loops to storms, and holds back those that may soon be part of one.
   *
   * @returns the loops that are now part of a storm
   */
  assignLoops(loops: readonly TrackedLoop[], nowMs: number): readonly TrackedLoop[] {
    const activeLoops = loops.filter(({ record }) => record.state === 'active' && record.treeId === '');
    for (const loop of activeLoops) if (this.#findFailureStorm(loop) === '') this.#feedLoop(loop);
    this.#detector.expire(nowMs * 1000);
    const ids = new Set(activeLoops.map(({ record }) => record.id));
    for (const id of this.#heldUntilMs.keys()) if (!ids.has(id)) this.#heldUntilMs.delete(id);
    return activeLoops.filter((loop) => {
      const stormId = loop.record.stormId === '' ? this.#findStorm(loop) : '';
      if (stormId !== '') loop.record = { ...loop.record, stormId };
      else this.#holdIfShared(loop, nowMs);
      return stormId !== '';
    });
  }

  /** Time until which a loop is not published; 0 means at once. */
  findHeldUntilMs(id: string): number {
    return this.#heldUntilMs.get(id) ?? 0;
  }

  isOpen(id: string): boolean {
    return id !== '' && this.#detector.isOpen(id);
  }

  /** @returns the revisions to write now */
  listDue(nowMs: number): readonly StormRevision[] {
    this.#detector.expire(nowMs * 1000);
    return this.#detector.storms.flatMap((record) => {
      const written = this.#written.get(record.id);
      if (written === undefined) return { record, revision: 1 };
      const hasEnded = written.record.state !== record.state;
      const hasGrown = written.record.calls !== record.calls || written.record.sessions !== record.sessions;
      const isDue = hasEnded || (hasGrown && nowMs - written.atMs >= GROWTH_WRITE_INTERVAL_MS);
      return isDue ? { record, revision: written.revision + 1 } : [];
    });
  }

  markWritten(revisions: readonly StormRevision[], nowMs: number): void {
    for (const { record, revision } of revisions)
      this.#written.set(record.id, { record, revision, atMs: nowMs });
    for (const [id, { record }] of this.#written)
      if (record.state === 'over' && nowMs - record.lastUs / 1000 > ENDED_STORM_RETENTION_MS)
        this.#written.delete(id);
  }

  #findFailureStorm({ failure, record }: TrackedLoop): string {
    return failure === '' ? '' : this.#detector.stormOfFailure(failure, record);
  }

  #findStorm(loop: TrackedLoop): string {
    const { server, environment, kind, severity, tools } = loop.record;
    const ofFailure = this.#findFailureStorm(loop);
    if (ofFailure !== '' || severity === 'note') return ofFailure;
    return this.#detector.stormOfLoop({ server, environment, kind, tools: tools.toSorted() });
  }

  #feedLoop({ record }: TrackedLoop): void {
    const { server, environment, kind, severity, tools, wastedCalls, onsetUs, lastUs } = record;
    if (severity === 'note') return;
    const session = toSessionKey(toSessionIdentity(record));
    const times = { firstUs: onsetUs, lastUs, wastedCalls };
    this.#detector.feedLoop({ server, environment, session, kind, tools: tools.toSorted(), ...times });
  }

  #holdIfShared({ record, failure }: TrackedLoop, nowMs: number): void {
    const { id, server, environment, severity, stormId } = record;
    if (severity === 'note' || stormId !== '' || this.#heldUntilMs.has(id)) return;
    const where = { server, environment, session: toSessionKey(toSessionIdentity(record)) };
    const isShared = failure !== '' && this.#detector.affectsOtherSessions(failure, where);
    this.#heldUntilMs.set(id, isShared ? nowMs + SHARED_FAILURE_HOLD_MS : 0);
  }
}

/** Calls by session. Errors with the same code but another message are another failure. */
function sumSessionCalls(record: StormRecord, stormSessions: readonly StormSession[]) {
  const { kind, code, template, server, environment } = record;
  const matching = stormSessions.filter(
    ({ errorMessage }) =>
      kind === 'loop' ||
      template === '' ||
      toFailureSignature({ ...TOOL_ERROR, errorCode: code, errorMessage }, { server, environment })
        ?.template === template,
  );
  const sessions = new Map<string, number>();
  for (const { session, calls } of matching) {
    const key = toSessionKey(session);
    sessions.set(key, (sessions.get(key) ?? 0) + calls);
  }
  return [...sessions].map(([session, calls]) => ({ session, calls }));
}

const TOOL_ERROR = { outcome: 'tool_error', errorInResult: false } as const;

// Cross-session detection: storms, and runs of several sessions. Both receive every call after its own
// session's detector, and may change the loops of single sessions before those are written and published.

import type { LoopUpdate } from '../../core/model/loop-record.ts';
import { type LoopRecord, toLoopUpdate } from '../../core/model/loop-record.ts';
import { toSessionIdentity, toSessionKey } from '../../core/model/session.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import type { StormThresholds } from '../../core/storms/detect-storm.ts';
import type { SessionCall } from '../store/session-calls.ts';
import type { DetectionStore } from './detection-store.ts';
import type { LoopWriteBuffer } from './loop-write-buffer.ts';
import { SessionTreeTracker } from './session-tree-tracker.ts';
import { StormTracker } from './storm-tracker.ts';
import type { TrackedLoop } from './tracked-loop.ts';

export interface CrossSessionTrackerOptions {
  readonly store: DetectionStore;
  readonly loopWrites: LoopWriteBuffer;
  readonly node: string;
  readonly storms: StormThresholds;
}

/** Calls replayed after a start: enough for the window of a storm and of a run. */
const WARM_UP_WINDOW_MS = 15 * 60_000;
const MAX_RECENT_CALLS = 20_000;

export class CrossSessionTracker {
  readonly #options: CrossSessionTrackerOptions;
  readonly #stormTracker: StormTracker;
  readonly #sessionTreeTracker = new SessionTreeTracker();

  constructor(options: CrossSessionTrackerOptions) {
    this.#options = options;
    this.#stormTracker = new StormTracker(options.store, options.storms);
  }

  /**
   * Resumes where the previous process stopped.
   *
   * @param upTo position up to which calls were read
   */
  async warmUp(
    loops: readonly TrackedLoop[],
    { upTo, nowMs }: { readonly upTo: number; readonly nowMs: number },
  ) {
    const { store, node } = this.#options;
    const sinceUs = (nowMs - WARM_UP_WINDOW_MS) * 1000;
    const recent = await store.readRecentCalls({ node, upTo, sinceUs, limit: MAX_RECENT_CALLS });
    await this.#stormTracker.warmUp(recent, { node, upTo, nowMs });
    for (const loop of loops) if (loop.record.treeId !== '') this.#sessionTreeTracker.adopt(loop);
    this.#sessionTreeTracker.addCalls(recent);
  }

  addCalls(calls: readonly SessionCall[], nowMs: number): void {
    this.#stormTracker.addCalls(calls, nowMs);
    for (const changed of this.#sessionTreeTracker.addCalls(calls))
      this.#options.loopWrites.addChange(changed);
  }

  /** Assigns loops to the storms they belong to. */
  assignLoopsToStorms(nowMs: number): void {
    const { loopWrites } = this.#options;
    for (const loop of this.#stormTracker.assignLoops(loopWrites.loops, nowMs))
      loopWrites.addChange({ loop, significance: 'turned' });
  }

  /**
   * Writes the changed storms. Rejects as the store does.
   *
   * @returns the written storms
   */
  async writeStorms(nowMs: number): Promise<readonly StormRecord[]> {
    const due = this.#stormTracker.listDue(nowMs);
    if (due.length > 0) await this.#options.store.writeStorms(due);
    this.#stormTracker.markWritten(due, nowMs);
    return due.map(({ record }) => record);
  }

  /** @returns the update of a loop as it is published */
  toNotice(record: LoopRecord): LoopUpdate {
    const { id, stormId, treeId } = record;
    const sessionKey = toSessionKey(toSessionIdentity(record));
    const run = treeId === '' ? this.#sessionTreeTracker.findLoopId(sessionKey) : '';
    const foldedInto = this.#stormTracker.isOpen(stormId) ? stormId : run;
    return { ...toLoopUpdate(record, this.#stormTracker.findHeldUntilMs(id)), foldedInto };
  }
}

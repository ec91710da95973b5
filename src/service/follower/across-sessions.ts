// What is seen only across sessions: storms, and runs of several sessions. Both take every call after its own session did, and
// have their say on the loops of single sessions before those are written and told.

import type { LoopNotice } from '../../core/model/loop-notice.ts';
import { type LoopRecord, toLoopNotice } from '../../core/model/loop-record.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import type { StormThresholds } from '../../core/storms/thresholds.ts';
import type { LiveLoop } from './live-loop.ts';
import type { LoopLedger } from './loop-ledger.ts';
import type { FollowedStore, SessionCall } from './ports.ts';
import { keyOf } from './session-cache.ts';
import { StormFollower } from './storm-follower.ts';
import { TreeFollower } from './tree-follower.ts';

export interface AcrossOptions {
  readonly store: FollowedStore;
  readonly ledger: LoopLedger;
  readonly node: string;
  readonly storms: StormThresholds;
}

/** What is fed again after a start: enough for the window of a storm and of a run. */
const RECENT_MS = 15 * 60_000;
const MOST_RECENT = 20_000;

export class AcrossSessions {
  readonly #options: AcrossOptions;
  readonly #storms: StormFollower;
  readonly #trees = new TreeFollower();

  constructor(options: AcrossOptions) {
    this.#options = options;
    this.#storms = new StormFollower(options.store, options.storms);
  }

  /** Goes on where the process before stopped. @param upTo position up to which calls were read */
  async recover(
    loops: readonly LiveLoop[],
    { upTo, nowMs }: { readonly upTo: number; readonly nowMs: number },
  ) {
    const { store, node } = this.#options;
    const sinceUs = (nowMs - RECENT_MS) * 1000;
    const recent = await store.readRecentCalls({ node, upTo, sinceUs, limit: MOST_RECENT });
    await this.#storms.recover(recent, { node, upTo, nowMs });
    for (const loop of loops) if (loop.record.treeId !== '') this.#trees.adopt(loop);
    this.#trees.take(recent);
  }

  take(calls: readonly SessionCall[], nowMs: number): void {
    this.#storms.take(calls, nowMs);
    for (const changed of this.#trees.take(calls)) this.#options.ledger.put(changed);
  }

  /** Tells loops which storm they are a part of. */
  fold(nowMs: number): void {
    const { ledger } = this.#options;
    for (const loop of this.#storms.fold(ledger.loops, nowMs)) ledger.put({ loop, how: 'turned' });
  }

  /** Writes the storms that changed. Rejects as the store does. @returns them */
  async write(nowMs: number): Promise<readonly StormRecord[]> {
    const due = this.#storms.due(nowMs);
    if (due.length > 0) await this.#options.store.writeStorms(due);
    this.#storms.wrote(due, nowMs);
    return due.map(({ record }) => record);
  }

  /** A loop as others are told of it. */
  toNotice(record: LoopRecord): LoopNotice {
    const { id, server, sessionSource, sessionId, stormId, treeId } = record;
    const run =
      treeId === '' ? this.#trees.loopOf(keyOf({ server, source: sessionSource, id: sessionId })) : '';
    const foldedInto = this.#storms.isOpen(stormId) ? stormId : run;
    return { ...toLoopNotice(record, this.#storms.heldUntilMs(id)), foldedInto };
  }
}

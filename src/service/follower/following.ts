// One pass of the follower: read what is new, find loops, write them, tell, and only then note how far it has read. Killed
// anywhere in between, the next pass reads the same calls again, finds the same loops, and finds them written.

import type { Logger } from 'pino';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import type { LoopNotice } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { DEFAULT_STORM_THRESHOLDS, type StormThresholds } from '../../core/storms/thresholds.ts';
import { AcrossSessions } from './across-sessions.ts';
import type { LiveLoop } from './live-loop.ts';
import { LoopLedger } from './loop-ledger.ts';
import type { FollowedStore, LoopRevision, PositionKeeper } from './ports.ts';
import { SessionFollower } from './session-follower.ts';

export interface FollowingOptions {
  readonly store: FollowedStore;
  readonly position: PositionKeeper;
  /** The ingest node whose calls are followed. */
  readonly node: string;
  /** Up to which position everything that the node took is in the store. */
  readonly settled: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Between two full pages, so that catching up leaves half of the time to others. */
  readonly pause: (ms: number) => Promise<void>;
  /**
   * Told of every loop that began, changed or ended, after it is in the store, and of those that go on when the service
   * starts: the same news may come twice. It is waited for. A rejection is logged.
   */
  readonly onChanges: (notices: readonly LoopNotice[]) => void | Promise<void>;
  /** Told of every storm that began, grew or ended, before the loops that are a part of it. It is waited for. */
  readonly onStorms?: (storms: readonly StormRecord[]) => void | Promise<void>;
  readonly log: Logger;
  readonly thresholds?: ThresholdTable;
  readonly stormThresholds?: StormThresholds;
  /** Sessions held in memory. */
  readonly sessionCapacity?: number;
  /** How long a loop may at least be quiet before it is over. */
  readonly leastQuietMs?: number;
  readonly pageSize?: number;
  /** Asked between pages; what is not read then is read by the next process. */
  readonly isClosing?: () => boolean;
}

const SESSIONS_HELD = 2_000;
const PAGE = 2_000;
const POSITION_EVERY_MS = 2_000;
/** Loops that ended this long before the start are told of again: whoever was told last may have forgotten. */
const TOLD_AGAIN_MS = 3_600_000;

export class Following {
  readonly #options: FollowingOptions;
  readonly #ledger: LoopLedger;
  readonly #sessions: SessionFollower;
  readonly #across: AcrossSessions;
  #state: 'new' | 'recovered' | 'told' = 'new';
  /** Ids of the loops told of since the start, until all were. */
  readonly #told = new Set<string>();
  #position = 0;
  #savedPosition = 0;
  #savedAtMs = 0;

  constructor(options: FollowingOptions) {
    this.#options = options;
    const { store, node, thresholds, sessionCapacity = SESSIONS_HELD, leastQuietMs } = options;
    this.#ledger = new LoopLedger(leastQuietMs);
    this.#sessions = new SessionFollower({
      store,
      ledger: this.#ledger,
      node,
      thresholds,
      sessionCapacity,
    });
    const storms = options.stormThresholds ?? DEFAULT_STORM_THRESHOLDS;
    this.#across = new AcrossSessions({ store, ledger: this.#ledger, node, storms });
  }

  /** Up to where calls were read. */
  get position(): number {
    return this.#position;
  }

  /** Does all there is to do now. Rejects when the store fails; the next pass goes on where this one stopped. */
  async pass(): Promise<void> {
    if (this.#state === 'new') await this.#recover();
    while (await this.#takePage());
    await this.#publish();
    if (this.#state === 'recovered') await this.#tellAgain();
    await this.#savePosition(POSITION_EVERY_MS);
  }

  /** Writes what is still to be written, as far as the store lets us. */
  async finish(): Promise<void> {
    if (this.#state === 'new') return;
    await this.#publish();
    await this.#savePosition(0);
  }

  async #recover(): Promise<void> {
    const { store, position, now } = this.#options;
    const loops = await store.readOpenLoops(now() * 1000);
    this.#position = await position.read();
    this.#savedPosition = this.#position;
    const active = loops.filter(({ record }) => record.state === 'active').map(toLiveLoop);
    for (const loop of active) {
      this.#ledger.adopt(loop, now());
      const { server, sessionSource: source, sessionId: id, treeId } = loop.record;
      if (treeId === '') this.#sessions.invalidate({ server, source, id });
    }
    await this.#across.recover(active, { upTo: this.#position, nowMs: now() });
    this.#state = 'recovered';
  }

  /** @returns whether there is more */
  async #takePage(): Promise<boolean> {
    const { store, node, settled, now, pause, pageSize = PAGE, isClosing } = this.#options;
    const upTo = settled();
    if (upTo <= this.#position || isClosing?.()) return false;
    const startedMs = now();
    const calls = await store.readNewCalls({ node, after: this.#position, upTo, limit: pageSize });
    await this.#sessions.take(calls, now());
    this.#across.take(calls, now());
    const isFull = calls.length >= pageSize;
    this.#position = (isFull ? calls.at(-1)?.ingestSeq : undefined) ?? upTo;
    if (!isFull) return false;
    await this.#publish();
    await this.#savePosition(POSITION_EVERY_MS);
    await pause(now() - startedMs);
    return true;
  }

  async #publish(): Promise<void> {
    const { store, now } = this.#options;
    await this.#sessions.replay(this.#position, now());
    this.#ledger.expire(now());
    this.#across.fold(now());
    await this.#tellStorms(await this.#across.write(now()));
    const revisions = this.#ledger
      .due(now())
      .map(({ record, revision }): LoopRevision => ({ record, revision: revision + 1 }));
    if (revisions.length === 0) return;
    await store.writeLoops(revisions);
    this.#ledger.wrote(revisions, now());
    await this.#tell(revisions);
  }

  async #tellAgain(): Promise<void> {
    const { store, now } = this.#options;
    const loops = await store.readOpenLoops((now() - TOLD_AGAIN_MS) * 1000);
    const storms = await store.readOpenStorms((now() - TOLD_AGAIN_MS) * 1000);
    await this.#tellStorms(storms.map(({ record }) => record));
    await this.#tell(loops.filter(({ record }) => !this.#told.has(record.id)));
    this.#state = 'told';
    this.#told.clear();
  }

  async #tell(revisions: readonly LoopRevision[]): Promise<void> {
    const { onChanges, log } = this.#options;
    if (revisions.length === 0) return;
    if (this.#state !== 'told') for (const { record } of revisions) this.#told.add(record.id);
    try {
      await onChanges(revisions.map(({ record }) => this.#across.toNotice(record)));
    } catch (error) {
      log.error({ err: error }, 'loops could not be told of');
    }
  }

  async #tellStorms(storms: readonly StormRecord[]): Promise<void> {
    const { onStorms, log } = this.#options;
    if (storms.length === 0) return;
    try {
      await onStorms?.(storms);
    } catch (error) {
      log.error({ err: error }, 'storms could not be told of');
    }
  }

  /** Never past what is not written: a session that waits, or a loop that the store did not take. */
  async #savePosition(everyMs: number): Promise<void> {
    const { position, now } = this.#options;
    // Also where the clock was set back: it would not be saved until that has caught up.
    const isTime = now() - this.#savedAtMs >= everyMs || now() < this.#savedAtMs;
    const isDue = this.#position !== this.#savedPosition && isTime;
    if (!isDue || this.#sessions.waiting > 0 || this.#ledger.isBehind) return;
    const reached = this.#position;
    await position.write(reached);
    this.#savedPosition = reached;
    this.#savedAtMs = now();
  }
}

function toLiveLoop({ record, revision }: LoopRevision): LiveLoop {
  return { record, revision, callsSpanned: record.repeats * record.period, failure: '' };
}

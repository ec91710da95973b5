// One pass of the detection worker: read new calls, find loops, write them, publish them, and only then save
// the position. If killed in between, the next pass reads the same calls again and finds the same loops
// already written.

import type { Logger } from 'pino';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import type { LoopUpdate } from '../../core/model/loop-record.ts';
import { toSessionIdentity } from '../../core/model/session.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { DEFAULT_STORM_THRESHOLDS, type StormThresholds } from '../../core/storms/detect-storm.ts';
import type { LoopRevision } from '../store/loop-rows.ts';
import { CrossSessionTracker } from './cross-session-tracker.ts';
import type { DetectionStore } from './detection-store.ts';
import { LoopWriteBuffer } from './loop-write-buffer.ts';
import type { PositionRepository } from './position-file.ts';
import { SessionTracker } from './session-tracker.ts';
import type { TrackedLoop } from './tracked-loop.ts';

export interface DetectionPipelineOptions {
  readonly store: DetectionStore;
  readonly position: PositionRepository;
  /** The ingest node whose calls are read. */
  readonly node: string;
  /** Position up to which all accepted calls of the node are in the store. */
  readonly committedOffset: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Pauses between full pages, so that catching up leaves half of the time for other work. */
  readonly pause: (ms: number) => Promise<void>;
  /**
   * Called for every loop that began, changed or ended, after it is stored, and for active loops at startup;
   * updates may repeat. It is awaited. A rejection is logged.
   */
  readonly onLoopChanges: (notices: readonly LoopUpdate[]) => void | Promise<void>;
  /** Called for every storm that began, grew or ended, before the loops that belong to it. It is awaited. */
  readonly onStorms?: (storms: readonly StormRecord[]) => void | Promise<void>;
  readonly log: Logger;
  readonly thresholds?: ThresholdTable;
  readonly stormThresholds?: StormThresholds;
  /** Maximum number of sessions in memory. */
  readonly sessionCapacity?: number;
  /** Minimum time without calls before a loop ends. */
  readonly minQuietMs?: number;
  readonly pageSize?: number;
  /** Checked between pages; the next process reads the rest. */
  readonly isClosing?: () => boolean;
}

const DEFAULT_SESSION_CAPACITY = 2_000;
const DEFAULT_PAGE_SIZE = 2_000;
const POSITION_SAVE_INTERVAL_MS = 2_000;
/**
 * Loops that ended this long before the start are published again, because receivers may have lost their
 * state.
 */
const RENOTIFY_WINDOW_MS = 3_600_000;

export class DetectionPipeline {
  readonly #options: DetectionPipelineOptions;
  readonly #loopWrites: LoopWriteBuffer;
  readonly #sessionTracker: SessionTracker;
  readonly #crossSessionTracker: CrossSessionTracker;
  #state: 'new' | 'recovered' | 'notified' = 'new';
  /** Ids of the loops published since the start, until all were. */
  readonly #notifiedIds = new Set<string>();
  #position = 0;
  #savedPosition = 0;
  #savedAtMs = 0;

  constructor(options: DetectionPipelineOptions) {
    this.#options = options;
    const { store, node, thresholds, sessionCapacity = DEFAULT_SESSION_CAPACITY } = options;
    const { stormThresholds = DEFAULT_STORM_THRESHOLDS } = options;
    this.#loopWrites = new LoopWriteBuffer(options.minQuietMs);
    const shared = { store, node, loopWrites: this.#loopWrites };
    this.#sessionTracker = new SessionTracker({ ...shared, thresholds, sessionCapacity });
    this.#crossSessionTracker = new CrossSessionTracker({ ...shared, storms: stormThresholds });
  }

  /** Position up to which calls were read. */
  get position(): number {
    return this.#position;
  }

  /** Processes everything available. Rejects when the store fails; the next pass resumes there. */
  async runPass(): Promise<void> {
    if (this.#state === 'new') await this.#warmUp();
    while (await this.#processPage());
    await this.#publish();
    if (this.#state === 'recovered') await this.#renotify();
    await this.#savePosition(POSITION_SAVE_INTERVAL_MS);
  }

  /** Writes pending changes. Rejects as the store does. */
  async flush(): Promise<void> {
    if (this.#state === 'new') return;
    await this.#publish();
    await this.#savePosition(0);
  }

  async #warmUp(): Promise<void> {
    const { store, position, now } = this.#options;
    const loops = await store.readOpenLoops(now() * 1000);
    this.#position = await position.read();
    this.#savedPosition = this.#position;
    const active = loops.filter(({ record }) => record.state === 'active').map(toTrackedLoop);
    for (const loop of active) {
      this.#loopWrites.track(loop, now());
      if (loop.record.treeId === '') this.#sessionTracker.invalidate(toSessionIdentity(loop.record));
    }
    await this.#crossSessionTracker.warmUp(active, { upTo: this.#position, nowMs: now() });
    this.#state = 'recovered';
  }

  /** @returns whether there is more */
  async #processPage(): Promise<boolean> {
    const { store, node, committedOffset, now, pause, isClosing } = this.#options;
    const { pageSize = DEFAULT_PAGE_SIZE } = this.#options;
    const upTo = committedOffset();
    if (upTo <= this.#position || isClosing?.()) return false;
    const startedMs = now();
    const calls = await store.readNewCalls({ node, after: this.#position, upTo, limit: pageSize });
    await this.#sessionTracker.addCalls(calls, now());
    this.#crossSessionTracker.addCalls(calls, now());
    const isFull = calls.length >= pageSize;
    this.#position = (isFull ? calls.at(-1)?.ingestSeq : undefined) ?? upTo;
    if (!isFull) return false;
    await this.#publish();
    await this.#savePosition(POSITION_SAVE_INTERVAL_MS);
    await pause(now() - startedMs);
    return true;
  }

  async #publish(): Promise<void> {
    const { store, now } = this.#options;
    await this.#sessionTracker.rebuildStale(this.#position, now());
    this.#loopWrites.endQuietLoops(now());
    this.#crossSessionTracker.assignLoopsToStorms(now());
    await this.#notifyStorms(await this.#crossSessionTracker.writeStorms(now()));
    const revisions = this.#loopWrites
      .listDue(now())
      .map(({ record, revision }): LoopRevision => ({ record, revision: revision + 1 }));
    if (revisions.length === 0) return;
    await store.writeLoops(revisions);
    this.#loopWrites.markWritten(revisions, now());
    await this.#notifyLoops(revisions);
  }

  async #renotify(): Promise<void> {
    const { store, now } = this.#options;
    const loops = await store.readOpenLoops((now() - RENOTIFY_WINDOW_MS) * 1000);
    const storms = await store.readOpenStorms((now() - RENOTIFY_WINDOW_MS) * 1000);
    await this.#notifyStorms(storms.map(({ record }) => record));
    await this.#notifyLoops(loops.filter(({ record }) => !this.#notifiedIds.has(record.id)));
    this.#state = 'notified';
    this.#notifiedIds.clear();
  }

  async #notifyLoops(revisions: readonly LoopRevision[]): Promise<void> {
    const { onLoopChanges, log } = this.#options;
    if (revisions.length === 0) return;
    if (this.#state !== 'notified') for (const { record } of revisions) this.#notifiedIds.add(record.id);
    try {
      await onLoopChanges(revisions.map(({ record }) => this.#crossSessionTracker.toNotice(record)));
    } catch (error) {
      log.error({ err: error }, 'loop updates could not be published');
    }
  }

  async #notifyStorms(storms: readonly StormRecord[]): Promise<void> {
    const { onStorms, log } = this.#options;
    if (storms.length === 0) return;
    try {
      await onStorms?.(storms);
    } catch (error) {
      log.error({ err: error }, 'storm updates could not be published');
    }
  }

  /** Never beyond unwritten data: a pending session, or a loop that the store did not accept. */
  async #savePosition(everyMs: number): Promise<void> {
    const { position, now } = this.#options;
    // Also if the clock was set back, or nothing would be saved until it has caught up.
    const isTime = now() - this.#savedAtMs >= everyMs || now() < this.#savedAtMs;
    const isDue = this.#position !== this.#savedPosition && isTime;
    if (!isDue || this.#sessionTracker.pendingRebuildCount > 0 || this.#loopWrites.hasUnwrittenMajorChange)
      return;
    const reached = this.#position;
    await position.write(reached);
    this.#savedPosition = reached;
    this.#savedAtMs = now();
  }
}

function toTrackedLoop({ record, revision }: LoopRevision): TrackedLoop {
  return { record, revision, callsSpanned: record.repeats * record.period, failure: '' };
}

// Buffers unwritten loop changes. Major changes (a new, worse or ended loop) are due at once, growth at most
// once a second; a loop without new calls ends by the clock.

import type { LoopRecord } from '../../core/model/loop-record.ts';
import type { LoopRevision, SessionIdentity } from './detection-store.ts';
import type { LoopChange, TrackedLoop } from './tracked-loop.ts';

interface BufferedLoop {
  readonly loop: TrackedLoop;
  pending: 'nothing' | 'growth' | 'turn';
  /** Epoch milliseconds. */
  writtenAtMs: number;
}

/** A loop that goes on is written no more often than this. */
const MINOR_WRITE_INTERVAL_MS = 1_000;
/** How long a loop may be quiet: three times its pace, within these bounds. */
const MIN_QUIET_MS = 60_000;
const MAX_QUIET_MS = 30 * 60_000;
const QUIET_PACES = 3;

export class LoopWriteBuffer {
  readonly #entries = new Map<string, BufferedLoop>();
  readonly #minQuietMs: number;

  constructor(minQuietMs = MIN_QUIET_MS) {
    this.#minQuietMs = minQuietMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Those that go on or are to be written. */
  get loops(): readonly TrackedLoop[] {
    return [...this.#entries.values()].map(({ loop }) => loop);
  }

  /** Loops of one session that are on their way to the store and were never written before. */
  listUnwritten({ server, source, id }: SessionIdentity): LoopRevision[] {
    const entries = [...this.#entries.values()].filter(
      ({ loop: { record, revision } }) =>
        revision === 0 &&
        record.treeId === '' &&
        record.sessionId === id &&
        record.server === server &&
        record.sessionSource === source,
    );
    return entries.map(({ loop: { record, revision } }) => ({ record, revision }));
  }

  /** Takes over a loop as it is in the store. */
  track(loop: TrackedLoop, nowMs: number): void {
    this.#entries.set(loop.record.id, { loop, pending: 'nothing', writtenAtMs: nowMs });
  }

  addChange({ loop, significance }: LoopChange): void {
    const known = this.#entries.get(loop.record.id);
    const pending = significance === 'turned' || known?.pending === 'turn' ? 'turn' : 'growth';
    this.#entries.set(loop.record.id, { loop, pending, writtenAtMs: known?.writtenAtMs ?? 0 });
  }

  /** Ends what has been quiet for too long. */
  endQuietLoops(nowMs: number): void {
    for (const entry of this.#entries.values())
      if (this.endIfQuiet(entry.loop, nowMs)) entry.pending = 'turn';
  }

  /** @returns whether the clock ended this loop */
  endIfQuiet(loop: TrackedLoop, nowMs: number): boolean {
    if (loop.record.state !== 'active' || nowMs - loop.record.lastUs / 1000 < this.#quietMs(loop))
      return false;
    loop.record = endLoop(loop.record);
    return true;
  }

  #quietMs({ record, callsSpanned }: TrackedLoop): number {
    const paceMs = (record.lastUs - record.onsetUs) / 1000 / Math.max(1, callsSpanned - 1);
    return Math.min(
      Math.max(QUIET_PACES * paceMs, this.#minQuietMs),
      Math.max(MAX_QUIET_MS, this.#minQuietMs),
    );
  }

  /** What is to be written now. */
  listDue(nowMs: number): readonly TrackedLoop[] {
    const entries = [...this.#entries.values()].filter(
      ({ pending, writtenAtMs }) =>
        pending === 'turn' || (pending === 'growth' && nowMs - writtenAtMs >= MINOR_WRITE_INTERVAL_MS),
    );
    return entries.map(({ loop }) => loop);
  }

  /** Whether something has turned and is not written. */
  get hasUnwrittenMajorChange(): boolean {
    return [...this.#entries.values()].some(({ pending }) => pending === 'turn');
  }

  /** Notes that this state of these loops is in the store. */
  markWritten(revisions: readonly LoopRevision[], nowMs: number): void {
    for (const { record, revision } of revisions) {
      const entry = this.#entries.get(record.id);
      if (!entry) continue;
      entry.loop.revision = revision;
      entry.writtenAtMs = nowMs;
      if (entry.loop.record === record) entry.pending = 'nothing';
      if (entry.pending === 'nothing' && record.state === 'over') this.#entries.delete(record.id);
    }
  }
}

function endLoop(record: LoopRecord): LoopRecord {
  return { ...record, state: 'over', sentence: record.sentence.replace(/\)\.$/, ', over).') };
}

// The spool: unacknowledged calls in files, which are removed once acknowledged; files of ended processes are
// adopted. Operations run one at a time; counters change immediately. Nothing throws or rejects: after a disk
// error the calls stay in memory.

import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptSegments, touchFile } from './adopt-segments.ts';
import type { EncodedCall } from './call-queue.ts';
import { toSpoolFolder } from './segment-name.ts';
import { decodeBatch, type SpooledBatch, type SpoolSegment } from './spool-segment.ts';
import { ignoreMissing, SpoolWriter } from './spool-writer.ts';

export interface SpoolOptions {
  /** Spool directory for all receivers of this user; created on first use. */
  readonly directory: string;
  /** Limit for all files in it, of all processes; each process may exceed it by one segment. */
  readonly maxBytes: number;
  readonly url: string;
  /** Headers that select a tenant at the receiver; see `toSpoolFolder`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the reason each time calls cannot be spooled. */
  readonly onFailure: (reason: string) => void;
  /** Called with the number of lost calls: out of space, or a damaged file. */
  readonly onLost: (calls: number) => void;
  /** Called with each call that was written. */
  readonly onWritten?: (call: EncodedCall) => void;
}

/** A batch that is sent from its segment file. */
export interface SegmentBatch extends SpooledBatch {
  readonly segment: SpoolSegment;
}

/** Delay between an append and the fsync, because most segments are removed before it is due. */
const SYNC_AFTER_MS = 1_000;
/** How often files are touched for processes that cannot check our pid; well below `DEAD_AFTER_MS`. */
const TOUCH_EVERY_MS = 60_000;
/** Time for which calls stay in memory after a disk error before the next attempt. */
const BACKOFF_MS = 10_000;

export class Spool {
  readonly #options: SpoolOptions;
  readonly #folder: string;
  readonly #writer: SpoolWriter;
  /** Oldest first. */
  #backlog: readonly SpoolSegment[] = [];
  readonly #written = new Map<EncodedCall, SpoolSegment>();
  /** Requested but not yet written. */
  readonly #requested = new Set<EncodedCall>();
  #sending: SpoolSegment | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #syncTimer: NodeJS.Timeout | undefined;
  #backoffUntilMs = 0;
  #touchedMs = performance.now();

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#folder = join(options.directory, toSpoolFolder(options.url, options.headers));
    this.#writer = new SpoolWriter({
      directory: options.directory,
      folder: this.#folder,
      maxBytes: options.maxBytes,
      pathsInUse: () => this.#pathsInUse(),
      onDropped: (path, calls) => {
        this.#backlog = this.#backlog.filter((segment) => segment.path !== path);
        options.onLost(calls);
      },
    });
  }

  /** Where the segments of this receiver are. */
  get folder(): string {
    return this.#folder;
  }

  get backlog(): number {
    return this.#backlog.length;
  }

  get hasNext(): boolean {
    return this.#backlog.some(({ inMemory }) => inMemory === 0);
  }

  isWritten(call: EncodedCall): boolean {
    return this.#written.has(call);
  }

  /** Writes calls unless they are forgotten first; returns whether those still needed are on disk. */
  write(calls: readonly EncodedCall[]): Promise<boolean> {
    for (const call of calls) if (!this.#written.has(call)) this.#requested.add(call);
    return this.#runExclusive(() => this.#writeRequested(calls), false);
  }

  /** Synchronous variant of `write` for process exit. Blocks for the duration of the write. */
  writeSync(calls: readonly EncodedCall[]): boolean {
    const missing = calls.filter((call) => !this.#written.has(call));
    try {
      for (const part of this.#writer.split(missing)) {
        this.#register(this.#writer.writeSync(part), part);
        for (const call of part) this.#requested.delete(call);
      }
      return true;
    } catch (error) {
      this.#reportFailure(error);
      return false;
    }
  }

  /** Releases calls that were acknowledged or given up. */
  forget(calls: readonly EncodedCall[]): void {
    for (const call of calls) {
      this.#requested.delete(call);
      const segment = this.#unregister(call);
      if (segment?.inMemory === 0) void this.#runExclusive(() => this.#removeIfDone(segment), undefined);
    }
  }

  /** Marks the spooled ones among these calls as no longer in memory, and returns them. */
  release(calls: readonly EncodedCall[]): ReadonlySet<EncodedCall> {
    const released = new Set<EncodedCall>();
    for (const call of calls) {
      const segment = this.#unregister(call);
      if (segment === undefined) continue;
      if (!segment.isReleased) this.#enqueue([segment]);
      segment.isReleased = true;
      released.add(call);
    }
    return released;
  }

  /** Starts a new file for all further calls. */
  seal(): void {
    void this.#runExclusive(() => this.#writer.close(), undefined);
  }

  /** The oldest batch that is only on disk, and the same one again until `completeBatch` is called. */
  nextBatch(): Promise<SegmentBatch | undefined> {
    return this.#runExclusive(() => this.#readNextBatch(), undefined);
  }

  /** Removes a batch that was acknowledged or given up. */
  completeBatch({ segment }: SegmentBatch): void {
    segment.isReleased = false;
    this.#sending = undefined;
    this.#dequeue(segment);
    void this.#runExclusive(() => this.#removeIfDone(segment), undefined);
  }

  /** Adopts at most `limit` segments of processes that have ended; returns how many. */
  adoptOrphans(limit: number): Promise<number> {
    return this.#runExclusive(async () => {
      await this.#touchOwn();
      const adopted = await adoptSegments(this.#folder, limit);
      this.#enqueue(adopted);
      return adopted.length;
    }, 0);
  }

  /** Resolves when all requested operations are complete. */
  async drain(): Promise<void> {
    clearTimeout(this.#syncTimer);
    await this.#runExclusive(() => this.#writer.sync(), undefined);
    await this.#runExclusive(() => this.#writer.close(), undefined);
  }

  async #runExclusive<T>(operate: () => Promise<T>, otherwise: T): Promise<T> {
    const turn = this.#tail.then(operate).catch((error: unknown) => {
      this.#reportFailure(error);
      return otherwise;
    });
    this.#tail = turn;
    return turn;
  }

  #reportFailure(error: unknown): void {
    this.#backoffUntilMs = performance.now() + BACKOFF_MS;
    this.#writer.reset();
    const code = error instanceof Error && 'code' in error ? error.code : error;
    this.#options.onFailure(`they cannot be kept on disk: ${String(code)}`);
  }

  async #writeRequested(calls: readonly EncodedCall[]): Promise<boolean> {
    const missing = calls.filter((call) => this.#requested.has(call));
    if (missing.length === 0) return calls.every((call) => this.#written.has(call)) || !this.#isBackingOff();
    try {
      if (this.#isBackingOff()) return false;
      await this.#writer.prepare();
      for (const part of this.#writer.split(missing)) await this.#append(part);
      return true;
    } catch (error) {
      this.#reportFailure(error);
      await this.#writer.abandon();
      return false;
    } finally {
      for (const call of missing) this.#requested.delete(call);
    }
  }

  #isBackingOff(): boolean {
    return performance.now() < this.#backoffUntilMs;
  }

  async #append(calls: readonly EncodedCall[]): Promise<void> {
    const segment = await this.#writer.append(calls);
    const needed = calls.filter((call) => this.#requested.delete(call));
    this.#register(segment, needed);
    if (needed.length === 0) await this.#removeIfDone(segment);
    else this.#syncSoon(segment);
  }

  #pathsInUse(): ReadonlySet<string> {
    const sending = this.#sending === undefined ? [] : [this.#sending];
    return new Set([...this.#written.values(), ...sending].map(({ path }) => path));
  }

  #register(segment: SpoolSegment, calls: readonly EncodedCall[]): void {
    for (const call of calls) {
      this.#written.set(call, segment);
      this.#options.onWritten?.(call);
    }
    segment.inMemory += calls.length;
  }

  #unregister(call: EncodedCall): SpoolSegment | undefined {
    const segment = this.#written.get(call);
    if (segment === undefined) return undefined;
    this.#written.delete(call);
    segment.inMemory -= 1;
    return segment;
  }

  #enqueue(segments: readonly SpoolSegment[]): void {
    if (segments.length === 0) return;
    this.#backlog = [...this.#backlog, ...segments].sort((a, b) => a.base - b.base);
  }

  #dequeue(segment: SpoolSegment): void {
    this.#backlog = this.#backlog.filter((one) => one !== segment);
  }

  async #removeIfDone(segment: SpoolSegment): Promise<void> {
    if (segment.inMemory > 0 || segment.isReleased) return;
    await this.#writer.release(segment);
    this.#writer.needsSync(segment, false);
    await unlink(segment.path).catch(ignoreMissing);
  }

  #syncSoon(segment: SpoolSegment): void {
    this.#writer.needsSync(segment, true);
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      void this.#runExclusive(() => this.#writer.sync(), undefined);
    }, SYNC_AFTER_MS).unref();
  }

  async #readNextBatch(): Promise<SegmentBatch | undefined> {
    for (const segment of this.#backlog.filter(({ inMemory }) => inMemory === 0)) {
      await this.#writer.release(segment);
      // If another process removed the segment to free space, it has already counted the calls.
      const content = await readFile(segment.path).catch(ignoreMissing);
      const batch = content && decodeBatch(content, segment.base);
      if (batch !== undefined) this.#reportDamage(segment, batch.damaged);
      if (batch !== undefined && batch.calls > 0) {
        this.#sending = segment;
        return { ...batch, segment };
      }
      this.#dequeue(segment);
      await unlink(segment.path).catch(ignoreMissing);
    }
    return undefined;
  }

  /** Reports the damage of a segment once, regardless of retries. */
  #reportDamage(segment: SpoolSegment, damaged: number): void {
    if (damaged === segment.reportedDamage) return;
    this.#options.onLost(damaged - segment.reportedDamage);
    segment.reportedDamage = damaged;
  }

  async #touchOwn(): Promise<void> {
    if (performance.now() - this.#touchedMs < TOUCH_EVERY_MS) return;
    this.#touchedMs = performance.now();
    for (const { path } of new Set([...this.#written.values(), ...this.#backlog])) await touchFile(path);
  }
}

// The spool: unacknowledged calls in files, which are removed once acknowledged; files of ended processes are
// adopted. Operations run one at a time; counters change immediately. Nothing throws or rejects: after a disk
// error the calls stay in memory.

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptSegments, touchFile } from './adopt-segments.ts';
import type { EncodedCall } from './call-queue.ts';
import { toSpoolFolder } from './segment-name.ts';
import { freeSpoolSpace } from './spool-capacity.ts';
import {
  appendCalls,
  closeSegment,
  decodeBatch,
  discardSegment,
  type OpenSpoolSegment,
  openSegment,
  type SpooledBatch,
  type SpoolSegment,
  writeSegmentSync,
} from './spool-segment.ts';

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
}

/** A batch that is sent from its segment file. */
export interface SegmentBatch extends SpooledBatch {
  readonly segment: SpoolSegment;
}

/** A segment is read and checked in one turn of the host's event loop: 256 KiB take about 0.3 ms. */
const MAX_SEGMENT_BYTES = 256 * 1024;
/** Delay between an append and the fsync that protects it against a power failure. */
const SYNC_AFTER_MS = 1_000;
/** How often files are touched for processes that cannot check our pid; well below `DEAD_AFTER_MS`. */
const TOUCH_EVERY_MS = 60_000;
/** Time for which calls stay in memory after a disk error before the next attempt. */
const BACKOFF_MS = 10_000;
/** Minimum interval between checks of the total size; each file costs about 20 µs. */
const SPACE_CHECK_MS = 5_000;
const DIRECTORY_MODE = 0o700;

export class Spool {
  readonly #options: SpoolOptions;
  readonly #folder: string;
  readonly #segmentBytes: number;
  #active: OpenSpoolSegment | undefined;
  /** Oldest first. */
  #backlog: readonly SpoolSegment[] = [];
  readonly #written = new Map<EncodedCall, SpoolSegment>();
  /** Requested but not yet written. */
  readonly #requested = new Set<EncodedCall>();
  readonly #unsynced = new Set<SpoolSegment>();
  #sending: SpoolSegment | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #syncTimer: NodeJS.Timeout | undefined;
  #isReady = false;
  #backoffUntilMs = 0;
  #touchedMs = performance.now();
  #bytesSinceCheck = Number.POSITIVE_INFINITY;
  #checkedMs = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#folder = join(options.directory, toSpoolFolder(options.url, options.headers));
    this.#segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.max(4_096, Math.floor(options.maxBytes / 16)));
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
    if (missing.length === 0) return true;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: DIRECTORY_MODE });
      if (!isOwnUid(statSync(this.#options.directory).uid)) return false;
      // A segment is sent as one request, so its size is limited.
      for (const part of splitByBytes(missing, this.#segmentBytes)) {
        this.#register(writeSegmentSync(this.#folder, part), part);
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
    void this.#runExclusive(() => this.#close(), undefined);
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
    await this.#runExclusive(() => this.#sync(), undefined);
    await this.#runExclusive(() => this.#close(), undefined);
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
    // The directory may have been deleted; the next attempt creates it again.
    this.#isReady = false;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    this.#options.onFailure(`they cannot be kept on disk: ${String(code)}`);
  }

  async #writeRequested(calls: readonly EncodedCall[]): Promise<boolean> {
    const missing = calls.filter((call) => this.#requested.has(call));
    if (missing.length === 0) return calls.every((call) => this.#written.has(call)) || !this.#isBackingOff();
    try {
      if (this.#isBackingOff()) return false;
      await this.#prepare();
      for (const part of splitByBytes(missing, this.#segmentBytes)) await this.#append(part);
      return true;
    } catch (error) {
      this.#reportFailure(error);
      await this.#abandonActive();
      return false;
    } finally {
      for (const call of missing) this.#requested.delete(call);
    }
  }

  #isBackingOff(): boolean {
    return performance.now() < this.#backoffUntilMs;
  }

  async #prepare(): Promise<void> {
    if (this.#isReady) return;
    await mkdir(this.#folder, { recursive: true, mode: DIRECTORY_MODE });
    if (!isOwnUid((await stat(this.#options.directory)).uid)) throw new Error('the directory is not ours');
    this.#isReady = true;
  }

  async #append(calls: readonly EncodedCall[]): Promise<void> {
    const segment = await this.#appendToActive(calls);
    const wanted = calls.filter((call) => this.#requested.delete(call));
    this.#register(segment, wanted);
    if (wanted.length === 0) await this.#removeIfDone(segment);
    else this.#syncSoon(segment);
  }

  /** @returns the segment that now holds the calls */
  async #appendToActive(calls: readonly EncodedCall[]): Promise<SpoolSegment> {
    for (;;) {
      if (this.#active !== undefined && this.#active.segment.bytes >= this.#segmentBytes) await this.#close();
      this.#active ??= await this.#open();
      const { segment } = this.#active;
      const before = segment.bytes;
      await appendCalls(this.#active, calls);
      this.#bytesSinceCheck += segment.bytes - before;
      if (await fileExists(segment.path)) return segment;
      // Another process removed the segment to free space, and may have counted its calls before this record
      // was written.
      await this.#close();
    }
  }

  /** After a disk error: closes the active segment and removes it if no call needs it. */
  async #abandonActive(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    if (active === undefined) return;
    if (active.segment.inMemory === 0 && !active.segment.isReleased) await discardSegment(active);
    else await closeSegment(active).catch(() => {});
  }

  async #open(): Promise<OpenSpoolSegment> {
    const isDue = performance.now() - this.#checkedMs > SPACE_CHECK_MS;
    if (isDue || this.#bytesSinceCheck >= this.#segmentBytes) await this.#freeSpace();
    return openSegment(this.#folder);
  }

  async #freeSpace(): Promise<void> {
    const inUse = new Set([...this.#written.values(), this.#sending].map((segment) => segment?.path));
    const hasRoom = await freeSpoolSpace(this.#options.directory, {
      maxBytes: this.#options.maxBytes,
      neededBytes: this.#segmentBytes,
      isInUse: (path) => inUse.has(path),
      onDropped: (path, calls) => {
        this.#backlog = this.#backlog.filter((segment) => segment.path !== path);
        this.#options.onLost(calls);
      },
    });
    if (!hasRoom) throw new Error('there is no room');
    this.#bytesSinceCheck = 0;
    this.#checkedMs = performance.now();
  }

  #register(segment: SpoolSegment, calls: readonly EncodedCall[]): void {
    for (const call of calls) this.#written.set(call, segment);
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

  async #close(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    if (active !== undefined) await closeSegment(active);
  }

  async #removeIfDone(segment: SpoolSegment): Promise<void> {
    if (segment.inMemory > 0 || segment.isReleased) return;
    if (this.#active?.segment === segment) await this.#close();
    this.#unsynced.delete(segment);
    await unlink(segment.path).catch(ignoreMissing);
  }

  #syncSoon(segment: SpoolSegment): void {
    this.#unsynced.add(segment);
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      void this.#runExclusive(() => this.#sync(), undefined);
    }, SYNC_AFTER_MS).unref();
  }

  /** Syncs the segments that still exist. It runs with a delay, because most are removed before it is due. */
  async #sync(): Promise<void> {
    const paths = [...this.#unsynced].map(({ path }) => path);
    this.#unsynced.clear();
    for (const path of paths.length === 0 ? [] : [...paths, this.#folder]) {
      const file = await open(path, 'r').catch(ignoreMissing);
      await file?.sync().finally(() => file.close());
    }
  }

  async #readNextBatch(): Promise<SegmentBatch | undefined> {
    for (const segment of this.#backlog.filter(({ inMemory }) => inMemory === 0)) {
      if (this.#active?.segment === segment) await this.#close();
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

/** Calls must not be written to another user's directory. */
function isOwnUid(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}

/** False when another process adopted the file by renaming it. */
async function fileExists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/** Splits calls into runs of at most `maxBytes` bytes; a single longer call forms its own run. */
function splitByBytes(calls: readonly EncodedCall[], maxBytes: number): readonly (readonly EncodedCall[])[] {
  const parts: EncodedCall[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    bytes += call.bytes.length;
    if (bytes > maxBytes) {
      parts.push([]);
      bytes = call.bytes.length;
    }
    parts.at(-1)?.push(call);
  }
  return parts;
}

// A journal, its shipper and what takes rows back, over a disk and a store that both do what a test tells them, through any
// number of lives; and where each call that was acknowledged is now.
import { basename } from 'node:path';
import { Registry } from 'prom-client';
import { UpstreamError } from '../../../src/errors.ts';
import { scanSegment } from '../../../src/segment-log/frame.ts';
import { BatchWriter } from '../../../src/service/ingest/batch-writer.ts';
import { createIngestMetrics } from '../../../src/service/ingest/ingest-metrics.ts';
import { Journal } from '../../../src/service/ingest/journal.ts';
import type { JournalEntry } from '../../../src/service/ingest/journal-record.ts';
import { listQuarantine, requestReplay } from '../../../src/service/ingest/quarantine.ts';
import { QuarantineReplayer } from '../../../src/service/ingest/quarantine-replayer.ts';
import { toCallHead } from '../../../src/service/ingest/rows.ts';
import { createBatchSink } from '../../../src/service/store/insert-batch.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryDisk, type Operation } from '../../support/memory-disk.ts';
import { exampleCall } from './example-call.ts';
import { silentLog } from './harness.ts';

const SPAN_IDS = /"span_id":"([0-9a-f]{16})"/g;
const NO_IDS: readonly string[] = [];

/** What becomes of an insert. `lost`: stored, but the response is lost. */
export type InsertFate = 'stored' | 'lost' | 'refused connection';

/** One life of the process; what it started dies with it. */
interface ProcessLife {
  readonly journal: Journal;
  readonly shipper: BatchWriter;
  readonly reshipper: QuarantineReplayer;
  readonly clock: FakeClock;
}

/** The disk keeps the journal from being opened: the service does not start. */
export class JournalUnavailable extends Error {}

export class JournalHarness {
  readonly disk = new MemoryDisk();
  readonly acknowledged = new Set<string>();
  /** Span ids that the store refuses now. */
  readonly poisoned = new Set<string>();
  /** How often each span was stored. */
  readonly stored = new Map<string, number>();
  /** Span ids that the store refused at some time. */
  readonly #bad = new Set<string>();
  /** Positions that the store has twice, for two calls. */
  readonly reused: string[] = [];
  readonly #positions = new Map<number, string>();
  readonly #tokens = new Set<string>();
  #copy: ReadonlyMap<string, Buffer> = new Map();
  readonly #flips = new Map<string, { readonly offset: number; readonly mask: number }>();
  #life: ProcessLife | undefined;
  #born = 0;
  #nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  #made = 0;
  /** What was not taken in this life. */
  readonly #unsent: string[] = [];
  fates: InsertFate[] = [];
  /** The power goes after so many inserts, before the next answer. */
  crashAfterInserts = Number.POSITIVE_INFINITY;

  /** The process as it is; started, if it is not. @throws JournalUnavailable */
  async live(): Promise<ProcessLife> {
    this.#life ??= await this.#open().catch((error: unknown) => {
      throw new JournalUnavailable('the journal cannot be opened', { cause: error });
    });
    return this.#life;
  }

  async #open(): Promise<ProcessLife> {
    const clock = new FakeClock(this.#nowMs);
    const born = ++this.#born;
    let shipper: BatchWriter | undefined;
    const journal = await Journal.open({
      dataDirectory: '/d',
      capBytes: 40_000,
      clock,
      fileSystem: this.disk.mount(),
      onSealed: () => shipper?.wake(),
      onSealFailed: () => undefined,
      readMaxKnownIngestSeq: async () => Math.max(0, ...this.#positions.keys()),
    });
    for await (const _ of journal.readPending()) {
      // What waits is counted by reading it.
    }
    const metrics = createIngestMetrics(new Registry());
    const { countAttempt: onAttempt, countQuarantined: onQuarantined } = metrics;
    const sink = createBatchSink(this.#storeOf(born));
    const findStored = async <K extends { readonly spanId: string }>(keys: readonly K[]): Promise<K[]> =>
      keys.filter(({ spanId }) => this.stored.has(spanId));
    shipper = new BatchWriter({
      batches: journal.batches,
      sink,
      findStoredCalls: findStored,
      clock,
      log: silentLog,
      onAttempt,
      onQuarantined,
    });
    const reshipper = new QuarantineReplayer({ journal, findStoredCalls: findStored, clock, log: silentLog });
    shipper.wake();
    reshipper.wake();
    return { journal, shipper, reshipper, clock };
  }

  /** Gives a process that is dead no answer, and what a living one asks for its fate. */
  #storeOf(born: number): Store {
    const insert = async (_table: string, rows: Uint8Array, token: string): Promise<void> => {
      await null;
      if (born !== this.#born || !this.#life) return new Promise(() => undefined);
      const fate = this.fates.shift() ?? 'refused connection';
      if (fate !== 'refused connection') this.#store(rows, token);
      if (this.crashAfterInserts-- <= 0) {
        this.crash(0);
        return new Promise(() => undefined);
      }
      if (fate !== 'stored') throw new UpstreamError('STORE_UNAVAILABLE', fate, { retryable: true });
    };
    // The sink uses nothing else of it.
    return { insert } as unknown as Store;
  }

  #store(rows: Uint8Array, token: string): void {
    if (this.#tokens.has(token)) return;
    const ids = readSpanIds(rows);
    if (ids.some((id) => this.poisoned.has(id)))
      throw new UpstreamError('STORE_REJECTED', 'bad row', { retryable: false });
    this.#tokens.add(token);
    for (const id of ids) this.stored.set(id, (this.stored.get(id) ?? 0) + 1);
    for (const [at, position] of readPositions(rows).entries()) {
      const id = ids[at] ?? '';
      const known = this.#positions.get(position);
      if (known !== undefined && known !== id) this.reused.push(`${position}: ${known} and ${id}`);
      this.#positions.set(position, id);
    }
  }

  /** Segments are removed from outside; their calls are lost. @param which of them: the newest, the oldest or all */
  removeSegments(which: 'newest' | 'oldest' | 'all'): void {
    this.crash(0);
    const all = this.disk
      .paths()
      .filter((path) => path.endsWith('.seg'))
      .sort();
    const gone = which === 'all' ? all : which === 'newest' ? all.slice(-1) : all.slice(0, 1);
    for (const path of gone) this.disk.remove(path);
    this.#forgetLost();
  }

  /**
   * Copies the directory, as a backup program does. At rest, and where no bad row is: what was sent in halves or again
   * since then, the copy would send whole or show in quarantine still, which is the promise's limit.
   */
  async copy(): Promise<void> {
    await this.pass(500);
    if ([...this.pending(), ...this.refused()].some((id) => this.#bad.has(id))) return;
    this.#copy = new Map(this.disk.paths().map((path) => [path, Buffer.from(this.disk.get(path))]));
  }

  /** Puts the copy back in place of the directory, under a store that has gone on. */
  putBack(): void {
    if (this.#copy.size === 0) return;
    this.crash(0);
    for (const path of this.disk.paths()) this.disk.remove(path);
    for (const [path, bytes] of this.#copy) this.disk.put(path, bytes);
    this.#forgetLost();
  }

  /** What was promised and is nowhere any more, by no fault of ours. */
  #forgetLost(): void {
    const left = new Set([
      ...this.stored.keys(),
      ...this.pending(),
      ...this.refused(),
      ...this.damaged(),
      ...this.damagedInPlace(),
    ]);
    for (const id of this.acknowledged) if (!left.has(id)) this.acknowledged.delete(id);
  }

  /**
   * Sends new calls, and with them what was not taken before, as a sender does.
   * @param poisoned which of the new ones the store will refuse
   */
  async append(count: number, poisoned: readonly number[]): Promise<void> {
    const { journal } = await this.live();
    const fresh = Array.from({ length: count }, () => (++this.#made).toString(16).padStart(16, '0'));
    for (const at of poisoned) {
      this.poisoned.add(fresh[at] ?? '');
      this.#bad.add(fresh[at] ?? '');
    }
    const entries = [...this.#unsent.splice(0), ...fresh].map((spanId): JournalEntry => {
      const call = exampleCall({ spanId, traceId: spanId.padStart(32, 'a') });
      return { traceId: call.traceId, spanId, call: Buffer.from(toCallHead(call)) };
    });
    const born = this.#born;
    for (const { entries: own, result } of await journal.append(entries)) {
      if (result.status === 'appended') for (const { spanId } of own) this.acknowledged.add(spanId);
      // A new process knows from its journal what it has, and would tell the sender so.
      else if (born === this.#born && this.#life) this.#unsent.push(...own.map(({ spanId }) => spanId));
    }
  }

  /** Lets time go by; what became ready meanwhile runs. */
  async pass(ms: number): Promise<void> {
    const { clock } = await this.live();
    await clock.advance(ms);
    this.#nowMs = Math.max(this.#nowMs, clock.now());
  }

  /** A power cut: up to so many bytes of what was not synced survive. */
  crash(kept: number): void {
    this.disk.crash((unsynced) => Math.min(kept, unsynced));
    this.crashAfterInserts = Number.POSITIVE_INFINITY;
    this.#life = undefined;
    this.#unsent.length = 0;
  }

  async close(): Promise<void> {
    const life = await this.live();
    await life.reshipper.stop();
    await life.journal.close();
    const stopping = life.shipper.stop(1_000);
    await life.clock.advance(1_000);
    await stopping;
    this.#life = undefined;
    this.#unsent.length = 0;
  }

  /**
   * Damages one byte of one segment, of each segment once: so that what it was can be told afterwards. Not of one of which
   * halves are under way: then rows may come twice, which is the promise's limit.
   */
  flip(segment: number, position: number, mask: number): void {
    const all = this.disk.paths();
    const isHalved = (path: string): boolean =>
      all.includes(`/d/journal/${Number(basename(path, '.seg'))}.split`);
    const paths = all.filter((path) => path.endsWith('.seg') && !this.#flips.has(path) && !isHalved(path));
    const path = paths[segment % Math.max(1, paths.length)];
    if (path === undefined || this.disk.get(path).length <= 16) return;
    const offset = 16 + (position % (this.disk.get(path).length - 16));
    // A copy made before would send this segment whole, under a token that the store took without the damaged rows since:
    // the promise's limit.
    if (this.#copy.has(path)) this.#copy = new Map();
    this.disk.flip(path, offset, mask);
    this.#flips.set(path, { offset, mask });
  }

  /** @param fault what the disk refuses once while the rows are taken back */
  async askForAll(fault?: Operation): Promise<void> {
    const { journal, reshipper } = await this.live();
    const place = { ...journal.quarantineLocation, fileSystem: this.disk.mount() };
    for (const { id, kind } of await listQuarantine(place))
      if (kind === 'refused') await requestReplay(place, id).catch(() => undefined);
    if (fault) this.disk.failNext(fault);
    reshipper.wake();
    await this.pass(0);
  }

  /** Span ids in the journal's files. */
  pending(): string[] {
    const paths = this.disk.paths().filter((path) => path.endsWith('.seg'));
    return paths.flatMap((path) => {
      const { records } = scanSegment(this.disk.get(path), Number(basename(path, '.seg')));
      return records.flatMap(({ payload }) => readSpanIds(payload));
    });
  }

  /** Span ids in quarantine as rows. */
  refused(): string[] {
    return this.#quarantined('.json').flatMap((path) => {
      const { refused = [] } = JSON.parse(this.disk.get(path).toString());
      return refused.flatMap(({ rows }: { rows: string[] }) => readSpanIds(Buffer.from(rows.join('\n'))));
    });
  }

  /** Span ids in damaged bytes, read with the damage undone. */
  damaged(): string[] {
    return this.#quarantined('.bytes').flatMap((path) => {
      const [, segment, offset] = (/-(\d+)-at-(\d+)\.bytes$/.exec(path) ?? NO_IDS).map(Number);
      const found = this.disk.get(path);
      const flip = this.#flips.get(`/d/journal/${String(segment).padStart(16, '0')}.seg`);
      const undone = Buffer.from(found);
      const at = (flip?.offset ?? -1) - (offset ?? 0);
      if (flip && at >= 0 && at < undone.length) undone[at] = (undone[at] ?? 0) ^ flip.mask;
      return [...readSpanIds(found), ...readSpanIds(undone)];
    });
  }

  /** Span ids that only read as they were written once the damage to the journal's files is undone. */
  damagedInPlace(): string[] {
    return [...this.#flips].flatMap(([path, { offset, mask }]) => {
      if (!this.disk.paths().includes(path)) return [];
      const bytes = Buffer.from(this.disk.get(path));
      if (offset < bytes.length) bytes[offset] = (bytes[offset] ?? 0) ^ mask;
      return readSpanIds(bytes);
    });
  }

  #quarantined(extension: string): string[] {
    return this.disk.paths().filter((path) => path.startsWith('/d/quarantine/') && path.endsWith(extension));
  }
}

function readPositions(bytes: Uint8Array): number[] {
  return [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/"ingest_seq":(\d+)/g),
  ].map(([, seq]) => Number(seq));
}

function readSpanIds(bytes: Uint8Array): string[] {
  return [...Buffer.from(bytes).toString('latin1').matchAll(SPAN_IDS)].map(([, id]) => id ?? '');
}

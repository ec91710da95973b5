// Appends calls to segments of one folder: opens a segment when needed, keeps the spool within its limit, and
// syncs what was written. Its methods must not run concurrently, and reject with the system's error.

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import type { EncodedCall } from './call-queue.ts';
import { freeSpoolSpace } from './spool-capacity.ts';
import {
  appendCalls,
  closeSegment,
  discardSegment,
  type OpenSpoolSegment,
  openSegment,
  type SpoolSegment,
  writeSegmentSync,
} from './spool-segment.ts';

export interface SpoolWriterOptions {
  /** Spool directory for all receivers of this user; created on first use. */
  readonly directory: string;
  /** The folder of one receiver in it. */
  readonly folder: string;
  /** Limit for all files in the directory, of all processes; each process may exceed it by one segment. */
  readonly maxBytes: number;
  /** Files that this process still needs. */
  readonly pathsInUse: () => ReadonlySet<string>;
  /** Called with each file that was removed to free space, and its number of calls. */
  readonly onDropped: (path: string, calls: number) => void;
}

/** A segment is read and checked in one turn of the host's event loop: 256 KiB take about 0.3 ms. */
const MAX_SEGMENT_BYTES = 256 * 1024;
/** Minimum interval between checks of the total size; each file costs about 20 µs. */
const SPACE_CHECK_MS = 5_000;
const DIRECTORY_MODE = 0o700;

export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  readonly #segmentBytes: number;
  readonly #unsynced = new Set<SpoolSegment>();
  #active: OpenSpoolSegment | undefined;
  #isReady = false;
  #bytesSinceCheck = Number.POSITIVE_INFINITY;
  #checkedMs = 0;

  constructor(options: SpoolWriterOptions) {
    this.#options = options;
    this.#segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.max(4_096, Math.floor(options.maxBytes / 16)));
  }

  /** Splits calls into parts that each fit into one segment; a single longer call forms its own part. */
  split(calls: readonly EncodedCall[]): readonly (readonly EncodedCall[])[] {
    const parts: EncodedCall[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const call of calls) {
      bytes += call.bytes.length;
      if (bytes > this.#segmentBytes) {
        parts.push([]);
        bytes = call.bytes.length;
      }
      parts.at(-1)?.push(call);
    }
    return parts;
  }

  async prepare(): Promise<void> {
    if (this.#isReady) return;
    await mkdir(this.#options.folder, { recursive: true, mode: DIRECTORY_MODE });
    if (!isOwnUid((await stat(this.#options.directory)).uid)) throw new Error('the directory is not ours');
    this.#isReady = true;
  }

  /** Appends one part; returns the segment that now holds it. */
  async append(calls: readonly EncodedCall[]): Promise<SpoolSegment> {
    for (;;) {
      if (this.#active !== undefined && this.#active.segment.bytes >= this.#segmentBytes) await this.close();
      this.#active ??= await this.#open();
      const { segment } = this.#active;
      const before = segment.bytes;
      await appendCalls(this.#active, calls);
      this.#bytesSinceCheck += segment.bytes - before;
      if (await fileExists(segment.path)) return segment;
      // Another process removed the segment to free space, and may have counted its calls before this record
      // was written.
      await this.close();
    }
  }

  /** Writes one part to a segment of its own and blocks meanwhile; throws the system's error. */
  writeSync(calls: readonly EncodedCall[]): SpoolSegment {
    const { folder, directory } = this.#options;
    mkdirSync(folder, { recursive: true, mode: DIRECTORY_MODE });
    if (!isOwnUid(statSync(directory).uid)) throw new Error('the directory is not ours');
    return writeSegmentSync(folder, calls);
  }

  /** Closes the segment that is being written, if it is this one. */
  async release(segment: SpoolSegment): Promise<void> {
    if (this.#active?.segment === segment) await this.close();
  }

  async close(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    if (active !== undefined) await closeSegment(active);
  }

  /** After a disk error: closes the active segment, and removes it if no call needs it. Never rejects. */
  async abandon(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    if (active === undefined) return;
    if (active.segment.inMemory === 0 && !active.segment.isReleased) await discardSegment(active);
    else await closeSegment(active).catch(() => {});
  }

  /** After an error the directory may have been deleted; the next `prepare` creates it again. */
  reset(): void {
    this.#isReady = false;
  }

  needsSync(segment: SpoolSegment, isNeeded: boolean): void {
    if (isNeeded) this.#unsynced.add(segment);
    else this.#unsynced.delete(segment);
  }

  /** Syncs the segments that still exist. */
  async sync(): Promise<void> {
    const paths = [...this.#unsynced].map(({ path }) => path);
    this.#unsynced.clear();
    for (const path of paths.length === 0 ? [] : [...paths, this.#options.folder]) {
      const file = await open(path, 'r').catch(ignoreMissing);
      await file?.sync().finally(() => file.close());
    }
  }

  async #open(): Promise<OpenSpoolSegment> {
    const isDue = performance.now() - this.#checkedMs > SPACE_CHECK_MS;
    if (isDue || this.#bytesSinceCheck >= this.#segmentBytes) await this.#freeSpace();
    return openSegment(this.#options.folder);
  }

  async #freeSpace(): Promise<void> {
    const { directory, maxBytes, pathsInUse, onDropped } = this.#options;
    const options = { maxBytes, neededBytes: this.#segmentBytes, inUse: pathsInUse(), onDropped };
    if (!(await freeSpoolSpace(directory, options))) throw new Error('there is no space');
    this.#bytesSinceCheck = 0;
    this.#checkedMs = performance.now();
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

export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

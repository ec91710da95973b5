// Looks at the free space of the data directory's disk, and says "no more" before the engine runs out: a disk that is full to
// the last byte stops merges, deletions and the very clean-up that would help. Reads go on. What is asked is always answered
// from the last look, so nobody waits for a slow disk.

import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../segments/clock.ts';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export type MayTake =
  | { readonly status: 'yes' }
  | { readonly status: 'no'; readonly reason: string; readonly retryAfterSeconds: number };

export interface DiskWatchOptions {
  readonly directory: string;
  /** Free bytes below which nothing more is taken; by default the smaller of 1 GiB and 2 % of the disk. */
  readonly reserveBytes: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly readSpace?: (directory: string) => Promise<DiskSpace>;
}

const LOOK_MS = 2_000;
const RETRY_AFTER_SECONDS = 10;
const GIBIBYTE = 1024 ** 3;
const SHARE = 0.02;
/** Twice around the limit would be twice told to wait. */
const RECOVERED = 1.05;

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #readSpace: (directory: string) => Promise<DiskSpace>;
  #space: DiskSpace | undefined;
  #isLow = false;
  #isFailing = false;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  private constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#readSpace = options.readSpace ?? readSpace;
  }

  /** Resolves after the first look. A disk that cannot be looked at counts as one with room. */
  static async start(options: DiskWatchOptions): Promise<DiskWatch> {
    const watch = new DiskWatch(options);
    await watch.#look();
    return watch;
  }

  mayTake(): MayTake {
    if (!this.#isLow || !this.#space) return { status: 'yes' };
    const free = formatMebibytes(this.#space.freeBytes);
    const reserve = formatMebibytes(this.#reserveOf(this.#space));
    return {
      status: 'no',
      reason: `The disk has ${free} MiB left, and ${reserve} MiB are kept free. Make room; nothing has to be restarted.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    };
  }

  /** As last seen; undefined when the disk could not be looked at. */
  get freeBytes(): number | undefined {
    return this.#space?.freeBytes;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { directory, clock, log } = this.#options;
    try {
      this.#judge(await this.#readSpace(directory));
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'free disk space cannot be read');
      this.#isFailing = true;
    }
    if (!this.#isClosed) this.#cancel = clock.schedule(LOOK_MS, () => void this.#look());
  }

  #judge(space: DiskSpace): void {
    const reserve = this.#reserveOf(space);
    const isLow = space.freeBytes < reserve * (this.#isLow ? RECOVERED : 1);
    this.#space = space;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const about = { freeBytes: space.freeBytes, reserveBytes: reserve };
    if (isLow) this.#options.log.error(about, 'disk is nearly full; nothing more is taken');
    else this.#options.log.info(about, 'disk has room again');
  }

  #reserveOf({ totalBytes }: DiskSpace): number {
    return this.#options.reserveBytes ?? Math.min(GIBIBYTE, totalBytes * SHARE);
  }
}

/** What a user who is not root may still write. */
async function readSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function formatMebibytes(bytes: number): string {
  return String(Math.floor(bytes / 1024 ** 2));
}

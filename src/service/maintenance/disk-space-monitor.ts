// Measures the free space of the data directory's disk. Ingest refuses spans before the engine runs out of space,
// because a full disk stops merges, deletions and cleanup. Checks use the last measurement, so none waits for a
// slow disk.

import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import { every, type Job } from '../jobs/every.ts';

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export type DiskSpaceStatus =
  | { readonly status: 'yes' }
  | { readonly status: 'no'; readonly reason: string; readonly retryAfterSeconds: number };

export interface DiskSpaceMonitorOptions {
  readonly directory: string;
  /** Free bytes below which spans are refused; by default the smaller of 1 GiB and 2 % of the disk. */
  readonly reserveBytes: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly readSpace?: (directory: string) => Promise<DiskSpace>;
}

const CHECK_INTERVAL_MS = 2_000;
const RETRY_AFTER_SECONDS = 10;
const GIBIBYTE = 1024 ** 3;
const RESERVE_SHARE = 0.02;
/** Hysteresis, so that the state does not flap around the limit. */
const RECOVERY_FACTOR = 1.05;

export class DiskSpaceMonitor {
  readonly #options: DiskSpaceMonitorOptions;
  readonly #readSpace: (directory: string) => Promise<DiskSpace>;
  #space: DiskSpace | undefined;
  #isLow = false;
  #isFailing = false;
  #job: Job | undefined;

  private constructor(options: DiskSpaceMonitorOptions) {
    this.#options = options;
    this.#readSpace = options.readSpace ?? readSpace;
  }

  /** Resolves after the first measurement. An unreadable disk counts as having space. */
  static async start(options: DiskSpaceMonitorOptions): Promise<DiskSpaceMonitor> {
    const monitor = new DiskSpaceMonitor(options);
    await monitor.#measure();
    monitor.#job = every(() => monitor.#measure(), {
      firstDelayMs: CHECK_INTERVAL_MS,
      intervalMs: CHECK_INTERVAL_MS,
      clock: options.clock,
    });
    return monitor;
  }

  checkDiskSpace(): DiskSpaceStatus {
    if (!this.#isLow || !this.#space) return { status: 'yes' };
    const free = formatMebibytes(this.#space.freeBytes);
    const reserve = formatMebibytes(this.#toReserveBytes(this.#space));
    return {
      status: 'no',
      reason: `The disk has ${free} MiB left, and ${reserve} MiB are kept free. Free some space; no restart is needed.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    };
  }

  /** As last measured; undefined if that never succeeded. */
  get freeBytes(): number | undefined {
    return this.#space?.freeBytes;
  }

  close(): void {
    void this.#job?.close();
  }

  async #measure(): Promise<void> {
    const { directory, log } = this.#options;
    try {
      this.#update(await this.#readSpace(directory));
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'free disk space cannot be read');
      this.#isFailing = true;
    }
  }

  #update(space: DiskSpace): void {
    const reserve = this.#toReserveBytes(space);
    const isLow = space.freeBytes < reserve * (this.#isLow ? RECOVERY_FACTOR : 1);
    this.#space = space;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const logFields = { freeBytes: space.freeBytes, reserveBytes: reserve };
    if (isLow) this.#options.log.error(logFields, 'disk is nearly full; spans are refused');
    else this.#options.log.info(logFields, 'disk has enough space again');
  }

  #toReserveBytes({ totalBytes }: DiskSpace): number {
    return this.#options.reserveBytes ?? Math.min(GIBIBYTE, totalBytes * RESERVE_SHARE);
  }
}

/** The space that an unprivileged user may still write. */
async function readSpace(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function formatMebibytes(bytes: number): string {
  return String(Math.floor(bytes / 1024 ** 2));
}

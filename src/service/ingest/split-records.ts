// Records which parts of a batch were refused and are sent in halves, in a file next to the segment and
// durable before the first half is sent. Without it, a part that the store accepts when retried after a crash
// would be counted in addition to its stored halves.

import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import type { SealedSegment } from '../../segment-log/segment-directory.ts';
import type { SplitRecord } from './batch-sink.ts';

const NAME = /^(\d+)\.split$/;

export class SplitRecords {
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  readonly #tokens = new Map<number, readonly string[]>();

  private constructor(directory: string, fileSystem: FileSystem) {
    this.#directory = directory;
    this.#fileSystem = fileSystem;
  }

  /** Reads the records of a journal's directory, and removes those without a segment. */
  static async open(
    directory: string,
    fileSystem: FileSystem,
    segments: readonly SealedSegment[],
  ): Promise<SplitRecords> {
    const records = new SplitRecords(directory, fileSystem);
    for (const { name } of await fileSystem.list(directory)) {
      const base = Number(NAME.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(base)) continue;
      const tokens = Buffer.from(await fileSystem.read(join(directory, name))).toString();
      records.#tokens.set(base, tokens.split('\n').filter(Boolean));
      if (!segments.some((segment) => segment.base === base)) await records.forget(base);
    }
    return records;
  }

  of(base: number): SplitRecord {
    return {
      has: (token) => this.#tokens.get(base)?.includes(token) ?? false,
      add: async (token) => {
        const tokens = [...(this.#tokens.get(base) ?? []), token];
        await writeDurableFile(this.#pathOf(base), Buffer.from(`${tokens.join('\n')}\n`), this.#fileSystem);
        this.#tokens.set(base, tokens);
      },
    };
  }

  /** Call once the segment is removed. A remaining file is removed at the next start. */
  async forget(base: number): Promise<void> {
    if (!this.#tokens.delete(base)) return;
    await this.#fileSystem.unlink(this.#pathOf(base)).catch(() => undefined);
  }

  #pathOf(base: number): string {
    return join(this.#directory, `${base}.split`);
  }
}

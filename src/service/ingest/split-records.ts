// Which parts of a batch were refused and are sent in halves from then on, kept beside the segment and durable before
// the first half goes out. Without it a part that the store takes after all, when it is tried again after a crash, would
// count beside those of its halves that are stored already.

import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import type { SealedSegment } from '../../segment-log/segment-directory.ts';
import type { SplitRecord } from './batch-sink.ts';

const NAME = /^(\d+)\.split$/;

export class SplitRecords {
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  readonly #tokens: Map<number, readonly string[]>;

  private constructor(directory: string, fileSystem: FileSystem, tokens: Map<number, readonly string[]>) {
    this.#directory = directory;
    this.#fileSystem = fileSystem;
    this.#tokens = tokens;
  }

  /** Reads the records of a journal's directory, and removes those of segments that have left it. */
  static async open(
    directory: string,
    fileSystem: FileSystem,
    segments: readonly SealedSegment[],
  ): Promise<SplitRecords> {
    const records = new SplitRecords(directory, fileSystem, new Map());
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

  /** To be called once the segment is gone. A file that stays behind is removed at the next opening. */
  async forget(base: number): Promise<void> {
    if (!this.#tokens.delete(base)) return;
    await this.#fileSystem.unlink(this.#pathOf(base)).catch(() => undefined);
  }

  #pathOf(base: number): string {
    return join(this.#directory, `${base}.split`);
  }
}

// A short list in one file of the data directory. A change is made when the file is on disk.

import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';

export interface ListFileOptions<Entry> {
  readonly path: string;
  readonly fileSystem: FileSystem;
  /** Throws for a file that is not such a list. */
  readonly parse: (json: unknown) => readonly Entry[];
  /** The opposite of `parse`. */
  readonly format: (entries: readonly Entry[]) => unknown;
}

/** Owns the file; changes are written one at a time. */
export class ListFile<Entry> {
  readonly #options: ListFileOptions<Entry>;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: ListFileOptions<Entry>) {
    this.#options = options;
  }

  /** None if the file is missing or unreadable; the next change replaces it. */
  async read(): Promise<readonly Entry[]> {
    const { fileSystem, path, parse } = this.#options;
    try {
      return parse(JSON.parse(Buffer.from(await fileSystem.read(path)).toString('utf8')));
    } catch {
      return [];
    }
  }

  /** Writes what `toNext` makes of the list. Rejects with what it throws, and if the file cannot be written. */
  change(toNext: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    const { fileSystem, path, format } = this.#options;
    const done = this.#tail.then(async () => {
      const text = `${JSON.stringify(format(toNext(await this.read())))}\n`;
      await writeDurableFile(path, Buffer.from(text), fileSystem);
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

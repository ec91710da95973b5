// The saved views of the dashboard, in one small file of the data directory. A view is saved when the file is on disk.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type SavedView, type SavedViewBody, SavedViewsResponse } from '../../contract/saved-views.ts';
import { UserError } from '../../errors.ts';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';

const FILE = 'saved-views.json';
const MAX_VIEWS = 200;

export interface SavedViewsOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly now: () => number;
}

/** Owns the file; changes are written one at a time. */
export class SavedViews {
  readonly #options: SavedViewsOptions;
  readonly #path: string;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: SavedViewsOptions) {
    this.#options = options;
    this.#path = join(options.dataDirectory, FILE);
  }

  /** By name; none if the file is missing or unreadable. */
  async list(): Promise<SavedView[]> {
    try {
      const text = Buffer.from(await this.#options.fileSystem.read(this.#path)).toString('utf8');
      return SavedViewsResponse.parse(JSON.parse(text)).views;
    } catch {
      return []; // the next saved view replaces the file
    }
  }

  /** Replaces a view of the same name. Throws UserError INVALID_BODY beyond 200 views. */
  add({ name, path }: SavedViewBody): Promise<SavedView> {
    const createdAt = new Date(this.#options.now()).toISOString();
    const view: SavedView = { id: randomBytes(8).toString('hex'), name, path, createdAt };
    return this.#change((views) => {
      const others = views.filter((one) => one.name !== name);
      if (others.length >= MAX_VIEWS) {
        throw new UserError('INVALID_BODY', `There are ${MAX_VIEWS} saved views. Remove one first.`);
      }
      return [...others, view].sort((one, other) => one.name.localeCompare(other.name));
    }).then(() => view);
  }

  /** Removing a view that is gone changes nothing. */
  remove(id: string): Promise<void> {
    return this.#change((views) => views.filter((one) => one.id !== id));
  }

  #change(toNext: (views: readonly SavedView[]) => readonly SavedView[]): Promise<void> {
    const done = this.#tail.then(async () => {
      const text = `${JSON.stringify({ views: toNext(await this.list()) })}\n`;
      await writeDurableFile(this.#path, Buffer.from(text), this.#options.fileSystem);
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

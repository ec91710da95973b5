// The saved views of the dashboard, in one small file of the data directory.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type SavedView, type SavedViewBody, SavedViewsResponse } from '../../contract/saved-views.ts';
import { UserError } from '../../errors.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import { ListFile } from './list-file.ts';

const FILE = 'saved-views.json';
const MAX_VIEWS = 200;

export interface SavedViewsOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly now: () => number;
}

/** Owns the file. */
export class SavedViews {
  readonly #now: () => number;
  readonly #file: ListFile<SavedView>;

  constructor({ dataDirectory, fileSystem, now }: SavedViewsOptions) {
    this.#now = now;
    this.#file = new ListFile({
      path: join(dataDirectory, FILE),
      fileSystem,
      parse: (json) => SavedViewsResponse.parse(json).views,
      format: (views) => ({ views }),
    });
  }

  /** By name; none if the file is missing or unreadable. */
  async list(): Promise<SavedView[]> {
    return [...(await this.#file.read())];
  }

  /** Replaces a view of the same name. Throws UserError INVALID_BODY beyond 200 views. */
  add({ name, path }: SavedViewBody): Promise<SavedView> {
    const createdAt = new Date(this.#now()).toISOString();
    const view: SavedView = { id: randomBytes(8).toString('hex'), name, path, createdAt };
    return this.#file
      .change((views) => {
        const others = views.filter((one) => one.name !== name);
        if (others.length >= MAX_VIEWS) {
          throw new UserError('INVALID_BODY', `There are ${MAX_VIEWS} saved views. Remove one first.`);
        }
        return [...others, view].sort((one, other) => one.name.localeCompare(other.name));
      })
      .then(() => view);
  }

  /** Removing a view that is gone changes nothing. */
  remove(id: string): Promise<void> {
    return this.#file.change((views) => views.filter((one) => one.id !== id));
  }
}

// Saved views in this browser, for a service that does not accept them.
import { z } from 'zod';
import { SavedView, type SavedViewBody } from '../../../src/contract/saved-views.ts';

const KEY = 'toolscope.savedViews';
const LocalViews = z.array(SavedView);
const ID_PREFIX = 'browser-';

export const isLocalView = ({ id }: Pick<SavedView, 'id'>): boolean => id.startsWith(ID_PREFIX);

export function readLocalViews(): SavedView[] {
  try {
    return LocalViews.parse(JSON.parse(localStorage.getItem(KEY) ?? '[]'));
  } catch {
    return []; // storage is unavailable or holds invalid data
  }
}

/** Replaces a view of the same name. Throws the browser's error if there is no storage. */
export function addLocalView({ name, path }: SavedViewBody): void {
  const view: SavedView = { id: ID_PREFIX + name, name, path, createdAt: new Date().toISOString() };
  write([...readLocalViews().filter((one) => one.name !== name), view]);
}

export function removeLocalView(id: string): void {
  write(readLocalViews().filter((one) => one.id !== id));
}

function write(views: readonly SavedView[]): void {
  localStorage.setItem(KEY, JSON.stringify(views));
}

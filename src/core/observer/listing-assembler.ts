// Puts the pages of `tools/list` answers together. A catalogue counts only when every page of one listing was seen;
// a listing joined in the middle is no catalogue.

import { type CatalogueSnapshot, createCatalogueSnapshot } from './catalogue-snapshot.ts';
import { fieldOf, textFieldOf } from './json-rpc.ts';

/** Cursors waiting for their next page, a scope; the oldest goes first. */
const MAX_CURSORS = 64;

export interface ListingAssembler {
  /**
   * Takes one answered `tools/list`.
   *
   * @param scope whose pages belong together: a connection, or a server where every request has its own connection.
   * @returns the catalogue when this page completed it.
   */
  addPage(scope: object, params: unknown, result: unknown): CatalogueSnapshot | undefined;
}

/** Creates the watch; what it remembers goes with its scopes. */
export function createListingAssembler(): ListingAssembler {
  const pagesOf = new WeakMap<object, Map<string, readonly unknown[]>>();
  return {
    addPage(scope, params, result) {
      const tools = fieldOf(result, 'tools');
      if (!Array.isArray(tools)) return undefined;
      const pages = pagesOf.get(scope) ?? new Map<string, readonly unknown[]>();
      pagesOf.set(scope, pages);
      const cursor = textFieldOf(params, 'cursor');
      const before = cursor === '' ? [] : pages.get(cursor);
      if (before === undefined) return undefined;
      const all = before.length === 0 ? tools : [...before, ...tools];
      const next = textFieldOf(result, 'nextCursor');
      if (next === '') return createCatalogueSnapshot(all);
      remember(pages, next, all);
      return undefined;
    },
  };
}

function remember(pages: Map<string, readonly unknown[]>, cursor: string, tools: readonly unknown[]): void {
  pages.delete(cursor);
  pages.set(cursor, tools);
  const [oldest] = pages.keys();
  if (pages.size > MAX_CURSORS && oldest !== undefined) pages.delete(oldest);
}

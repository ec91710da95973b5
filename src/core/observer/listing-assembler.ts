// Joins the pages of `tools/list` answers. A catalogue is complete only if every page of one listing was
// seen, from the first one on.

import type { CatalogueListing } from '../model/catalogue.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { type CatalogueSnapshot, createCatalogueSnapshot } from './catalogue-snapshot.ts';
import { fieldOf, textFieldOf } from './json-rpc.ts';

const HOUR_US = 3_600_000_000;
/** Bounds memory for servers whose catalogue changes per request. */
const MAX_ENTRIES = 1_000;

type ListingKey = Pick<CatalogueListing, 'serverName' | 'serverVersion' | 'origin'> & {
  readonly hash: string;
};

export interface ListingThrottle {
  /** Whether a listing is due at `atUs` (microseconds since the epoch). If so, it counts as sent. */
  take(key: ListingKey, atUs: number): boolean;
}

export function createListingThrottle(): ListingThrottle {
  const sentAtUs = new BoundedMap<string, number>(MAX_ENTRIES);
  return {
    take({ serverName, serverVersion, origin, hash }, atUs) {
      const key = JSON.stringify([origin, serverName, serverVersion, hash]);
      const last = sentAtUs.get(key);
      if (last !== undefined && atUs - last < HOUR_US) return false;
      sentAtUs.set(key, atUs);
      return true;
    },
  };
}

/** Maximum cursors per scope that await their next page; the oldest is evicted first. */
const MAX_CURSORS = 64;

export interface ListingAssembler {
  /**
   * Adds one answered `tools/list`.
   *
   * @param scope the scope within which pages belong together: a connection, or a server if every request has
   *   its own connection.
   * @returns the catalogue if this page completed it.
   */
  addPage(scope: object, params: unknown, result: unknown): CatalogueSnapshot | undefined;
}

/** Creates an assembler; its state is released with its scopes. */
export function createListingAssembler(): ListingAssembler {
  const pagesOf = new WeakMap<object, Map<string, readonly unknown[]>>();
  return {
    addPage(scope, params, result) {
      const tools = fieldOf(result, 'tools');
      if (!Array.isArray(tools)) return undefined;
      const pages = pagesOf.get(scope) ?? new BoundedMap<string, readonly unknown[]>(MAX_CURSORS);
      pagesOf.set(scope, pages);
      const cursor = textFieldOf(params, 'cursor');
      const before = cursor === '' ? [] : pages.get(cursor);
      if (before === undefined) return undefined;
      const all = before.length === 0 ? tools : [...before, ...tools];
      const next = textFieldOf(result, 'nextCursor');
      if (next === '') return createCatalogueSnapshot(all);
      pages.set(next, all);
      return undefined;
    },
  };
}

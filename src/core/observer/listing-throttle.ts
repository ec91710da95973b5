// Records which catalogues were already sent. A definition is sent once per (origin, server, version, hash)
// and process, and again every hour in case the service lost it.

import type { CatalogueListing } from '../model/catalogue.ts';

const HOUR_US = 3_600_000_000;
/** Bounds memory for servers whose catalogue changes per request. */
const MAX_ENTRIES = 1_000;

export type ListingKey = Pick<CatalogueListing, 'serverName' | 'serverVersion' | 'origin'> & {
  readonly hash: string;
};

export interface ListingThrottle {
  /** Whether a listing is due at `atUs` (microseconds since the epoch). If so, it counts as sent. */
  take(key: ListingKey, atUs: number): boolean;
}

export function createListingThrottle(): ListingThrottle {
  const sentAtUs = new Map<string, number>();
  return {
    take({ serverName, serverVersion, origin, hash }, atUs) {
      const key = JSON.stringify([origin, serverName, serverVersion, hash]);
      const last = sentAtUs.get(key);
      if (last !== undefined && atUs - last < HOUR_US) return false;
      sentAtUs.delete(key);
      sentAtUs.set(key, atUs);
      const [oldest] = sentAtUs.keys();
      if (sentAtUs.size > MAX_ENTRIES && oldest !== undefined) sentAtUs.delete(oldest);
      return true;
    },
  };
}

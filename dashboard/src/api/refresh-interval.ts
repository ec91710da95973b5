// How soon a query is refetched while its page is open: the longer the service's store worked for its answer, the
// later, so that an open page takes a few percent of a core whatever the number of stored calls.
import type { Query } from '@tanstack/react-query';

// The query type of the cache callbacks.
// biome-ignore lint/suspicious/noExplicitAny: the cache callbacks use this type
type AnyQuery = Query<any, any, any, any>;

/** Shortest interval, because a busy server sends an event for every batch. */
export const MIN_REFRESH_INTERVAL_MS = 2_000;
/** Without new calls too, because a range that ends at `now` keeps moving. */
const QUIET_INTERVAL_MS = 30_000;
const MAX_QUIET_INTERVAL_MS = 300_000;
const QUIET_FACTOR = 10;

/** While calls arrive: the interval per cost, which bounds the share of a core, and the longest interval. */
interface RefreshPace {
  readonly factor: number;
  readonly maxMs: number;
}

const MAIN_RESOURCES: ReadonlySet<unknown> = new Set(['summary', 'calls', 'session', 'sessions', 'loops']);
/** What a page is about. */
const MAIN_PACE: RefreshPace = { factor: 60, maxMs: 30_000 };
/** Its other panels; an overview has fifteen. */
const OTHER_PACE: RefreshPace = { factor: 1_000, maxMs: 120_000 };

const toPace = (resource: unknown): RefreshPace => (MAIN_RESOURCES.has(resource) ? MAIN_PACE : OTHER_PACE);

/**
 * The average interval of a query while calls arrive.
 *
 * @param resource the first part of the query's key
 * @param costMs how long the store worked for the last answer
 */
export function toRefreshInterval(resource: unknown, costMs: number): number {
  const { factor, maxMs } = toPace(resource);
  return clamp(costMs * factor, MIN_REFRESH_INTERVAL_MS, maxMs);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** The intervals that the answers of a query have used up, beyond the time that has passed. */
interface Usage {
  readonly intervalMs: number;
  readonly usedMs: number;
  readonly atMs: number;
}

const NO_USAGE: Usage = { intervalMs: MIN_REFRESH_INTERVAL_MS, usedMs: 0, atMs: 0 };
/** Share of the last interval that remains after an answer that cost nothing: another query paid for its reads. */
const INTERVAL_DECAY = 0.8;

const usages = new WeakMap<AnyQuery, Usage>();

/** Notes an answer that arrived now. */
export function recordCost(query: AnyQuery, costMs: number, nowMs: number = Date.now()): void {
  const before = usages.get(query) ?? NO_USAGE;
  const intervalMs = Math.max(
    toRefreshInterval(query.queryKey[0], costMs),
    before.intervalMs * INTERVAL_DECAY,
  );
  const usedMs = Math.max(0, before.usedMs - (nowMs - before.atMs)) + intervalMs;
  usages.set(query, { intervalMs, usedMs, atMs: nowMs });
}

interface RefreshState {
  readonly nowMs: number;
  /** When the service last said that something has changed, in epoch milliseconds. */
  readonly changedAtMs: number;
}

/** An answer that was on its way when something changed may lack it. */
const IN_FLIGHT_MS = 2_000;

/** Whether an answer is to be fetched again. A query without an answer always is. */
export function isRefreshDue(query: AnyQuery, { nowMs, changedAtMs }: RefreshState): boolean {
  const { dataUpdatedAt } = query.state;
  const ageMs = nowMs - dataUpdatedAt;
  const { intervalMs, usedMs, atMs } = usages.get(query) ?? NO_USAGE;
  if (changedAtMs < dataUpdatedAt - IN_FLIGHT_MS)
    return ageMs >= clamp(intervalMs * QUIET_FACTOR, QUIET_INTERVAL_MS, MAX_QUIET_INTERVAL_MS);
  // One interval may be used in advance, so that the first new calls after a pause appear at once.
  return ageMs >= MIN_REFRESH_INTERVAL_MS && usedMs - (nowMs - atMs) <= toPace(query.queryKey[0]).maxMs;
}

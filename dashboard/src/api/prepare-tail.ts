// Maintains the list of calls while new ones arrive: older pages are appended, the newest page is merged at
// the top. Only the newest page is refetched, however far the reader has scrolled. If it no longer overlaps
// the list, the list restarts from it rather than show a gap.
import type { CallRow, CallsResponse } from '../../../src/contract/calls.ts';
import { toCallKey } from '../view/call-key.ts';

export interface Tail {
  /** Newest first. */
  readonly rows: readonly CallRow[];
  /** Cursor of the next older page; null at the end. */
  readonly nextCursor: string | null;
  /** The newest page that arrived while the list was paused; not merged yet. */
  readonly pending: PendingPage | undefined;
}

interface PendingPage {
  readonly page: CallsResponse;
  readonly newCalls: number;
  /** There are more new calls than the page holds. */
  readonly hasMore: boolean;
}

export function createTail({ calls, nextCursor }: CallsResponse): Tail {
  return { rows: calls, nextCursor, pending: undefined };
}

/** Appends the page that `nextCursor` led to. */
export function appendOlder(tail: Tail, { calls, nextCursor }: CallsResponse): Tail {
  return { ...tail, rows: [...tail.rows, ...calls], nextCursor };
}

/**
 * Merges the newest page at the top of the list.
 *
 * @param options.isPaused keeps the page pending and only counts its new calls
 */
export function mergeNewest(
  tail: Tail,
  page: CallsResponse,
  { isPaused }: { readonly isPaused: boolean },
): Tail {
  const { newCalls, hasMore, overlapEnd } = findOverlap(tail, page);
  if (isPaused) return newCalls === 0 ? tail : { ...tail, pending: { page, newCalls, hasMore } };
  if (overlapEnd === undefined) return createTail(page);
  if (newCalls === 0) return tail.pending ? { ...tail, pending: undefined } : tail;
  return { ...tail, rows: [...page.calls, ...tail.rows.slice(overlapEnd)], pending: undefined };
}

export function applyPending(tail: Tail): Tail {
  return tail.pending ? mergeNewest(tail, tail.pending.page, { isPaused: false }) : tail;
}

interface PageOverlap {
  /** Calls of the page that are not in the list. */
  readonly newCalls: number;
  readonly hasMore: boolean;
  /** The index from which the list continues below the page; undefined when page and list do not overlap. */
  readonly overlapEnd: number | undefined;
}

/** A page that holds the complete result replaces the list: calls missing from it no longer exist. */
function findOverlap({ rows }: Tail, page: CallsResponse): PageOverlap {
  // A row of the page is in the list at an index below the page length, unless rows above it were removed.
  const positions = new Map(rows.slice(0, 2 * page.calls.length).map((row, at) => [toCallKey(row), at]));
  const known = page.calls.flatMap((row) => positions.get(toCallKey(row)) ?? []);
  const last = known.at(-1);
  const isMore = last === undefined && page.nextCursor !== null;
  const below = last === undefined || page.nextCursor === null ? undefined : last + 1;
  return { newCalls: page.calls.length - known.length, hasMore: isMore, overlapEnd: below };
}

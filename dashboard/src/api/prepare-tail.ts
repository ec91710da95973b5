// The list of calls while new ones arrive: older pages are put below, the newest page is laid over the top. The newest page
// is all that is asked again, however far down somebody has read. Where it no longer meets the list there would be a
// hole, so the list then begins anew.
import type { CallRow, CallsResponse } from '../../../src/contract/responses.ts';

export interface Tail {
  /** Newest first. */
  readonly rows: readonly CallRow[];
  /** Where the older ones go on; null where there are none. */
  readonly nextCursor: string | null;
  /** What came while the list was held, and is not in it yet. */
  readonly pending: PendingPage | undefined;
}

interface PendingPage {
  readonly page: CallsResponse;
  readonly newCalls: number;
  /** There are more than one page holds. */
  readonly hasMore: boolean;
}

/** The identity of a call, as it stands in the address. */
export function toCallKey({ traceId, spanId }: Pick<CallRow, 'traceId' | 'spanId'>): string {
  return `${traceId}.${spanId}`;
}

export function createTail({ calls, nextCursor }: CallsResponse): Tail {
  return { rows: calls, nextCursor, pending: undefined };
}

/** Puts the page that its cursor led to below. */
export function appendOlder(tail: Tail, { calls, nextCursor }: CallsResponse): Tail {
  return { ...tail, rows: [...tail.rows, ...calls], nextCursor };
}

/**
 * Lays the newest page over the top of the list.
 *
 * @param options.isHeld somebody reads: the page waits, and is counted
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

/** Shows what waited. */
export function applyPending(tail: Tail): Tail {
  return tail.pending ? mergeNewest(tail, tail.pending.page, { isPaused: false }) : tail;
}

interface PageOverlap {
  /** Of the page, not in the list. */
  readonly newCalls: number;
  readonly hasMore: boolean;
  /** From where on the list lies below the page; undefined where the page says nothing of it. */
  readonly overlapEnd: number | undefined;
}

/** A page that is the whole of the answer replaces the list: what it does not have is no longer there. */
function findOverlap({ rows }: Tail, page: CallsResponse): PageOverlap {
  // A row of the page stands in the list no lower than the page is long, but for rows that were taken away above it.
  const positions = new Map(rows.slice(0, 2 * page.calls.length).map((row, at) => [toCallKey(row), at]));
  const known = page.calls.flatMap((row) => positions.get(toCallKey(row)) ?? []);
  const last = known.at(-1);
  const isMore = last === undefined && page.nextCursor !== null;
  const below = last === undefined || page.nextCursor === null ? undefined : last + 1;
  return { newCalls: page.calls.length - known.length, hasMore: isMore, overlapEnd: below };
}

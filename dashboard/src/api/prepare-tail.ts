// The list of calls while new ones arrive: older pages are put below, the newest page is laid over the top. The newest page
// is all that is asked again, however far down somebody has read. Where it no longer meets the list there would be a
// hole, so the list then begins anew.
import type { CallRow, CallsAnswer } from '../../../src/contract/answers.ts';

export interface Tail {
  /** Newest first. */
  readonly rows: readonly CallRow[];
  /** Where the older ones go on; null where there are none. */
  readonly nextCursor: string | null;
  /** What came while the list was held, and is not in it yet. */
  readonly waiting: Waiting | undefined;
}

interface Waiting {
  readonly page: CallsAnswer;
  readonly calls: number;
  /** There are more than one page holds. */
  readonly isMore: boolean;
}

/** The identity of a call, as it stands in the address. */
export function keyOfCall({ traceId, spanId }: Pick<CallRow, 'traceId' | 'spanId'>): string {
  return `${traceId}.${spanId}`;
}

export function beginTail({ calls, nextCursor }: CallsAnswer): Tail {
  return { rows: calls, nextCursor, waiting: undefined };
}

/** Puts the page that its cursor led to below. */
export function addOlder(tail: Tail, { calls, nextCursor }: CallsAnswer): Tail {
  return { ...tail, rows: [...tail.rows, ...calls], nextCursor };
}

/**
 * Lays the newest page over the top of the list.
 *
 * @param options.isHeld somebody reads: the page waits, and is counted
 */
export function takeNewest(tail: Tail, page: CallsAnswer, { isHeld }: { readonly isHeld: boolean }): Tail {
  const { calls, isMore, below } = compare(tail, page);
  if (isHeld) return calls === 0 ? tail : { ...tail, waiting: { page, calls, isMore } };
  if (below === undefined) return beginTail(page);
  if (calls === 0) return tail.waiting ? { ...tail, waiting: undefined } : tail;
  return { ...tail, rows: [...page.calls, ...tail.rows.slice(below)], waiting: undefined };
}

/** Shows what waited. */
export function release(tail: Tail): Tail {
  return tail.waiting ? takeNewest(tail, tail.waiting.page, { isHeld: false }) : tail;
}

interface Compared {
  /** Of the page, not in the list. */
  readonly calls: number;
  readonly isMore: boolean;
  /** From where on the list lies below the page; undefined where the page says nothing of it. */
  readonly below: number | undefined;
}

/** A page that is the whole of the answer replaces the list: what it does not have is no longer there. */
function compare({ rows }: Tail, page: CallsAnswer): Compared {
  // A row of the page stands in the list no lower than the page is long, but for rows that were taken away above it.
  const places = new Map(rows.slice(0, 2 * page.calls.length).map((row, at) => [keyOfCall(row), at]));
  const known = page.calls.flatMap((row) => places.get(keyOfCall(row)) ?? []);
  const last = known.at(-1);
  const isMore = last === undefined && page.nextCursor !== null;
  const below = last === undefined || page.nextCursor === null ? undefined : last + 1;
  return { calls: page.calls.length - known.length, isMore, below };
}

// A page of a list that was read and sorted whole: of names that figures are grouped by, of which there are so few that a read of them is
// bounded, and still more than an answer should hold. The place in it is a number of rows, since the order is of counts that move.

import { z } from 'zod';
import type { ListQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { encodeCursor, type Place, parseCursor } from './cursor.ts';

/** Of a page, where nobody asked for fewer. */
export const MOST_ROWS = 1_000;
/** Of a list, on all of its pages: those with the most calls. */
export const MOST_LISTED = 10_000;

const Key = z.tuple([z.int().min(0).max(MOST_LISTED)]);

type AskedPage = Pick<ListQuery, 'limit' | 'cursor'>;

/** @returns where the page before ended; undefined for the first one */
export function placeInList(kind: string, { cursor }: AskedPage): Place<[number]> | undefined {
  return cursor === undefined ? undefined : parseCursor(kind, { text: cursor, key: Key });
}

interface Cut {
  readonly kind: string;
  readonly query: AskedPage;
  /** That the list was read over. */
  readonly range: TimeRange;
}

/** @returns the rows of the page, and `nextCursor` where there are more */
export function cutPage<Row>(
  rows: readonly Row[],
  { kind, query, range }: Cut,
): { readonly rows: readonly Row[]; readonly next: { readonly nextCursor?: string } } {
  const from = placeInList(kind, query)?.after[0] ?? 0;
  const to = from + (query.limit ?? MOST_ROWS);
  const hasMore = rows.length > to && to <= MOST_LISTED;
  return {
    rows: rows.slice(from, to),
    next: hasMore ? { nextCursor: encodeCursor(kind, { range, after: [to] }) } : {},
  };
}

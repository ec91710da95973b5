// A page of a list that was read and sorted whole: of names that figures are grouped by, of which there are so few that a read of them is
// bounded, and still more than an answer should hold. The place in it is a number of rows, since the order is of counts that move.

import { z } from 'zod';
import type { ListQuery } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { type CursorPosition, encodeCursor, parseCursor } from './cursor.ts';

/** Of a page, where nobody asked for fewer. */
export const DEFAULT_PAGE_ROWS = 1_000;
/** Of a list, on all of its pages: those with the most calls. */
export const MAX_LISTED_ROWS = 10_000;

const Key = z.tuple([z.int().min(0).max(MAX_LISTED_ROWS)]);

type PageQuery = Pick<ListQuery, 'limit' | 'cursor'>;

/** @returns where the page before ended; undefined for the first one */
export function parseListPosition(kind: string, { cursor }: PageQuery): CursorPosition<[number]> | undefined {
  return cursor === undefined ? undefined : parseCursor(kind, { text: cursor, key: Key });
}

interface PageOptions {
  readonly kind: string;
  readonly query: PageQuery;
  /** That the list was read over. */
  readonly range: TimeRange;
}

/** @returns the rows of the page, and `nextCursor` where there are more */
export function toListPage<Row>(
  rows: readonly Row[],
  { kind, query, range }: PageOptions,
): { readonly rows: readonly Row[]; readonly next: { readonly nextCursor?: string } } {
  const from = parseListPosition(kind, query)?.after[0] ?? 0;
  const to = from + (query.limit ?? DEFAULT_PAGE_ROWS);
  const hasMore = rows.length > to && to <= MAX_LISTED_ROWS;
  return {
    rows: rows.slice(from, to),
    next: hasMore ? { nextCursor: encodeCursor(kind, { range, after: [to] }) } : {},
  };
}

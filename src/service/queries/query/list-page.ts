// Pages of a list that is read and sorted in full: names that stats are grouped by, few enough for a bounded
// read but too many for one response. The position is a row number, because the order is by counts that
// change.

import { z } from 'zod';
import type { ListQuery } from '../../../contract/query.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { type CursorPosition, encodeCursor, parseCursor } from './cursor.ts';

/** Default page size. */
export const DEFAULT_PAGE_ROWS = 1_000;
/** Maximum rows on all pages: those with the most calls. */
export const MAX_LISTED_ROWS = 10_000;

const Key = z.tuple([z.int().min(0).max(MAX_LISTED_ROWS)]);

type PageQuery = Pick<ListQuery, 'limit' | 'cursor'>;

/** @returns the end of the previous page; undefined for the first page */
export function parseListPosition(kind: string, { cursor }: PageQuery): CursorPosition<[number]> | undefined {
  return cursor === undefined ? undefined : parseCursor(kind, { text: cursor, key: Key });
}

interface PageOptions {
  readonly kind: string;
  readonly query: PageQuery;
  /** The range of the list. */
  readonly range: TimeRange;
}

/** @returns the rows of the page, and `nextCursor` if there are more */
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

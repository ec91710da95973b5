// Page cursors: opaque text, base64url of a JSON list. The list starts with the kind of page and its range,
// so that all pages of `from=now-24h` share one range although `now` moves.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { UserError } from '../../../errors.ts';
import { type Where, whereGiven } from './filters.ts';
import { alignRange, MAX_TIME_MS, type RetentionBounds } from './grain.ts';

const instant = z.int().min(0).max(MAX_TIME_MS);
/** An instant in microseconds, as part of a key. */
export const microseconds = z
  .int()
  .min(0)
  .max(MAX_TIME_MS * 1_000);

/** Sort key of rows by a time in microseconds and their id. */
export const TimeIdKey = z.tuple([microseconds, z.string().regex(/^[0-9a-f]{1,32}$/)]);

/** The rows after a key, newest first; every row without one. */
export function whereAfterKey(
  column: string,
  after: z.infer<typeof TimeIdKey> | undefined,
): Where | undefined {
  return whereGiven(`(${column}, id) < (fromUnixTimestamp64Micro({key_us:Int64}, 'UTC'), {key_id:String})`, {
    key_us: after?.[0],
    key_id: after?.[1],
  });
}

/** A position between two rows: the sort key of the row before it. */
export interface CursorPosition<Key> {
  readonly range: TimeRange;
  readonly after: Key;
}

/**
 * @param kind list and order of the cursor; any other one rejects it
 * @param key sort key of the last row of the page
 */
export function encodeCursor(
  kind: string,
  { range, after }: CursorPosition<readonly (string | number)[]>,
): string {
  return Buffer.from(JSON.stringify([kind, range.fromMs, range.toMs, ...after])).toString('base64url');
}

/**
 * Parses an untrusted cursor.
 *
 * @param kind the requested list and order
 * @param options.text the text that was sent
 * @param options.key schema of the sort key
 * @throws UserError INVALID_PARAMETER when it is not a cursor of this list and order
 */
export function parseCursor<Key>(
  kind: string,
  { text, key }: { readonly text: string; readonly key: z.ZodType<Key> },
): CursorPosition<Key> {
  const head = z.tuple([z.literal(kind), instant, instant], z.unknown()).safeParse(decode(text));
  const after = key.safeParse(head.data?.slice(3));
  if (!head.success || !after.success) {
    throw new UserError('INVALID_PARAMETER', 'Parameter "cursor" is not a cursor of this list and order.', {
      field: 'cursor',
      hint: 'Send the nextCursor of the page before with the same parameters, or leave it out.',
    });
  }
  return { range: { fromMs: head.data[1], toMs: head.data[2] }, after: after.data };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    // Not a valid cursor; the schema rejects undefined with a helpful message.
    return undefined;
  }
}

/** A list whose pages follow a sort key. */
export interface KeysetList<Key> {
  /** Name of the list and its order; a cursor of any other one is rejected. */
  readonly kind: string;
  readonly key: z.ZodType<Key>;
}

interface PageQuery {
  readonly range: TimeRange;
  readonly cursor?: string | undefined;
}

/** The range of the list, and the key of the row before the page; undefined for the first page. */
export function openPage<Key>(
  { kind, key }: KeysetList<Key>,
  { range, cursor }: PageQuery,
  retention: RetentionBounds,
): { readonly range: TimeRange; readonly after: Key | undefined } {
  if (cursor === undefined) return { range: alignRange(range, retention), after: undefined };
  return parseCursor(kind, { text: cursor, key });
}

interface PageEnd<Row> {
  readonly kind: string;
  readonly range: TimeRange;
  readonly limit: number;
  readonly keyOf: (row: Row) => readonly (string | number)[];
}

/** @param rows one more than the limit if there is another page */
export function closePage<Row>(
  rows: readonly Row[],
  { kind, range, limit, keyOf }: PageEnd<Row>,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null } {
  const last = rows[limit - 1];
  const hasMore = rows.length > limit && last !== undefined;
  return {
    rows: rows.slice(0, limit),
    nextCursor: hasMore ? encodeCursor(kind, { range, after: keyOf(last) }) : null,
  };
}

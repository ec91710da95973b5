// Page cursors: opaque text, base64url of a JSON list. The list starts with the kind of page and its range,
// so that all pages of `from=now-24h` share one range although `now` moves.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { UserError } from '../../../errors.ts';

/** Up to the end of 2099, within the range of the engine's time types. */
const instant = z.int().min(0).max(4_102_444_800_000);

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

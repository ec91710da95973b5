// Where a page ended, as text that means nothing to whoever carries it: base64url of a JSON list. The list opens with
// the kind of page and the range it was read over, so that the pages of `from=now-24h` all have one range though now moves.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { UserError } from '../../../errors.ts';

/** Up to the end of 2099, which the engine's times still hold. */
const instant = z.int().min(0).max(4_102_444_800_000);

/** A place between two rows, as the values of the sort key of the row before it. */
export interface CursorPosition<Key> {
  readonly range: TimeRange;
  readonly after: Key;
}

/**
 * @param kind which list and order the cursor belongs to; another one refuses it
 * @param key values of the sort key of the last row of the page
 */
export function encodeCursor(
  kind: string,
  { range, after }: CursorPosition<readonly (string | number)[]>,
): string {
  return Buffer.from(JSON.stringify([kind, range.fromMs, range.toMs, ...after])).toString('base64url');
}

/**
 * Reads a cursor that came from outside.
 *
 * @param kind which list and order is being asked for
 * @param options.text what the person sent
 * @param options.key what the values of the sort key look like
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
    // Not ours; the schema refuses it with the words that help.
    return undefined;
  }
}

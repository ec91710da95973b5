// Which argument names a request, so that two calls with it have one effect.

import { isRecord } from './is-record.ts';

/** For `match` in SQL and, without its flag, for RegExp. */
export const IDEMPOTENCY_KEY_PATTERN = '(?i)idempotency[_-]?key';

const NAME = new RegExp(IDEMPOTENCY_KEY_PATTERN.replace('(?i)', ''), 'i');
/** UTF-16 units; a longer text is no key. */
const MAX_KEY_LENGTH = 256;

/** The idempotency key among the arguments of a call; undefined without one. */
export function findIdempotencyKey(args: unknown): string | undefined {
  if (!isRecord(args)) return undefined;
  const name = Object.keys(args).find((one) => NAME.test(one));
  const value = name === undefined ? undefined : args[name];
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  return text !== '' && text.length <= MAX_KEY_LENGTH ? text : undefined;
}

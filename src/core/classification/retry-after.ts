// How long an error asks the agent to wait. Only a number under a key that says so counts, so nothing of a user is kept.

import { isRecord } from '../values/is-record.ts';
import { findJsonObjects, toContentText } from './content-text.ts';

/** As in `retry_after`, `retryAfterSeconds`, `Retry-After` and `retry_after_ms`. */
const RETRY_AFTER_KEY = /^retry[_-]?after(?:[_-]?(s|secs?|seconds|ms|millis|milliseconds))?$/i;
const RETRY_AFTER_HEADER = /\bretry-after: ?(\d{1,6})\b/i;
const MAX_DEPTH = 3;
const MAX_KEYS = 40;
/** A longer wait is no wait, or a time since the epoch. */
const MAX_SECONDS = 86_400;

interface RetryAfterSource {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

/** Seconds until the call may be repeated; undefined if the error does not say so. */
export function findRetryAfterSeconds({ result, error }: RetryAfterSource): number | undefined {
  const structured = isRecord(result) ? result['structuredContent'] : undefined;
  for (const place of [error?.data, structured, ...findJsonObjects(result)]) {
    const seconds = findInObject(place, MAX_DEPTH);
    if (seconds !== undefined) return seconds;
  }
  const header = RETRY_AFTER_HEADER.exec(error?.message ?? toContentText(result))?.[1];
  return header === undefined ? undefined : toSeconds(header, '');
}

function findInObject(value: unknown, depth: number): number | undefined {
  if (!isRecord(value) || depth === 0) return undefined;
  const members = Object.entries(value).slice(0, MAX_KEYS);
  for (const [key, item] of members) {
    const match = RETRY_AFTER_KEY.exec(key);
    const seconds = match === null ? undefined : toSeconds(item, match[1] ?? '');
    if (seconds !== undefined) return seconds;
  }
  for (const [, item] of members) {
    const seconds = findInObject(item, depth - 1);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

/** A header is a text of digits. */
function toSeconds(value: unknown, unit: string): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return undefined;
  const seconds = /^m/i.test(unit) ? number / 1_000 : number;
  return seconds > 0 && seconds <= MAX_SECONDS ? Math.round(seconds * 1_000) / 1_000 : undefined;
}

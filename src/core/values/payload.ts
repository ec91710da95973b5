// Arguments and results as text, for the two capture modes in which values may leave the process. Redaction comes
// before every cut, so that a cut can never save half a secret; binary content is its size in both modes.
import { blobOf, withoutBlobs } from './blobs.ts';
import { namesOf } from './names.ts';
import { redactHead, redactText, redactValue } from './redaction.ts';

/** Bytes of one payload text in UTF-8. */
export const PAYLOAD_LIMIT = 32_768;
const TRUNCATED = '…[truncated]';
/** No string can show more than this, so no more of it is redacted or written. */
const STRING_LIMIT = PAYLOAD_LIMIT + 1024;
/** What is read of a string beyond what may be kept, so that a secret at the cut is seen whole. */
const BORDER = 4096;
/** Units of text taken from one value: what is behind them is never shown, and redacting it would cost the host. */
const TEXT_BUDGET = 4 * PAYLOAD_LIMIT;
const LIST_LIMIT = 2000;

export interface PayloadText {
  readonly text: string;
  readonly truncated: boolean;
}

interface Walk {
  readonly mode: 'redacted' | 'full';
  /** UTF-16 units of strings that may still be taken. */
  room: number;
  cut: boolean;
}

/**
 * JSON text of a value, keys in the order they came.
 * @param mode `redacted` takes secrets out first; `full` takes nothing out but binary content.
 * @returns at most 32 kB, ending in `…[truncated]` if something was cut.
 */
export function payloadText(value: unknown, mode: 'redacted' | 'full'): PayloadText {
  if (value === undefined) return { text: '', truncated: false };
  const walk: Walk = { mode, room: TEXT_BUDGET, cut: false };
  const bounded = bound(value, walk, 0);
  const text = JSON.stringify(mode === 'full' ? bounded : redactValue(bounded)) ?? '';
  return cutText(text, walk.cut);
}

/**
 * The payload text of somebody else's making, taken in again: redacted once more unless `full`, and no longer than ours.
 * @param text JSON, or what a cut left of it.
 */
export function retakePayload(text: string, mode: 'redacted' | 'full'): PayloadText {
  const isCut = text.endsWith(TRUNCATED);
  const body = isCut ? text.slice(0, -TRUNCATED.length) : text;
  return cutText(mode === 'full' ? body : redactText(body.slice(0, TEXT_BUDGET)), isCut);
}

function cutText(text: string, alreadyCut: boolean): PayloadText {
  if (Buffer.byteLength(text) + (alreadyCut ? Buffer.byteLength(TRUNCATED) : 0) <= PAYLOAD_LIMIT)
    return alreadyCut ? { text: text + TRUNCATED, truncated: true } : { text, truncated: false };
  const kept = Buffer.from(text).subarray(0, PAYLOAD_LIMIT - Buffer.byteLength(TRUNCATED));
  // A character cut in half decodes to U+FFFD.
  return { text: kept.toString('utf8').replace(/\uFFFD$/, '') + TRUNCATED, truncated: true };
}

function bound(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === 'string') return boundString(value, walk);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 40) return '[deep]';
  walk.cut ||= walk.room <= 0;
  if (walk.room <= 0) return '…';
  if (Array.isArray(value)) {
    walk.cut ||= value.length > LIST_LIMIT;
    return value.slice(0, LIST_LIMIT).map((item) => bound(item, walk, depth + 1));
  }
  return boundRecord(value, walk, depth);
}

function boundRecord(value: object, walk: Walk, depth: number): object {
  const blob = blobOf(value);
  const { count, first } = namesOf(value);
  walk.cut ||= count > first.length;
  return Object.fromEntries(
    first.map((key) => {
      const item: unknown = Reflect.get(value, key);
      walk.room -= key.length;
      return [boundKey(key, walk), key === blob?.key ? blob.mark : bound(item, walk, depth + 1)];
    }),
  );
}

function boundKey(key: string, walk: Walk): string {
  return key.length > STRING_LIMIT ? boundString(key, walk) : key;
}

function boundString(text: string, walk: Walk): string {
  const limit = Math.max(0, Math.min(STRING_LIMIT, walk.room));
  const read = withoutBlobs(text.slice(0, limit + BORDER), text.length);
  walk.room -= read.text.length;
  const isWhole = read.reachesEnd || text.length <= limit + BORDER;
  if (isWhole && read.text.length <= limit) return read.text;
  walk.cut = true;
  return walk.mode === 'full' ? read.text.slice(0, limit) : redactHead(read.text, limit, isWhole).text;
}

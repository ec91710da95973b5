// Arguments and results as text, for the two capture modes in which values may leave the process. Redaction comes
// before the cut, so that a cut can never save half a secret.
import { redactValue } from './redaction.ts';

/** Bytes of one payload text in UTF-8. */
export const PAYLOAD_LIMIT = 32_768;
const TRUNCATED = '…[truncated]';
/** No string can show more than this, so no more of it is redacted or written. */
const STRING_LIMIT = PAYLOAD_LIMIT + 1024;
const LIST_LIMIT = 2000;

export interface PayloadText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * JSON text of a value, keys in the order they came.
 * @param mode `redacted` takes secrets out first; `full` takes nothing out.
 * @returns at most 32 kB, ending in `…[truncated]` if something was cut.
 */
export function payloadText(value: unknown, mode: 'redacted' | 'full'): PayloadText {
  if (value === undefined) return { text: '', truncated: false };
  const cut = { happened: false };
  const bounded = bound(value, cut, 0);
  const text = JSON.stringify(mode === 'full' ? bounded : redactValue(bounded)) ?? '';
  if (Buffer.byteLength(text) <= PAYLOAD_LIMIT)
    return cut.happened ? { text: text + TRUNCATED, truncated: true } : { text, truncated: false };
  const kept = Buffer.from(text).subarray(0, PAYLOAD_LIMIT - Buffer.byteLength(TRUNCATED));
  // A character cut in half decodes to U+FFFD.
  return { text: kept.toString('utf8').replace(/\uFFFD$/, '') + TRUNCATED, truncated: true };
}

function bound(value: unknown, cut: { happened: boolean }, depth: number): unknown {
  if (typeof value === 'string') {
    cut.happened ||= value.length > STRING_LIMIT;
    return value.slice(0, STRING_LIMIT);
  }
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 40) return '[deep]';
  if (Array.isArray(value)) {
    cut.happened ||= value.length > LIST_LIMIT;
    return value.slice(0, LIST_LIMIT).map((item) => bound(item, cut, depth + 1));
  }
  const entries = Object.entries(value);
  cut.happened ||= entries.length > LIST_LIMIT;
  return Object.fromEntries(
    entries.slice(0, LIST_LIMIT).map(([key, item]) => [key, bound(item, cut, depth + 1)]),
  );
}

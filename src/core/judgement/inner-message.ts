// What an error says, where it comes wrapped in JSON: `{"error":{"name","message"}}` says its message and no more, or eight
// different errors would read alike. Text before the JSON ("HTTP 400: {…}") stays.
import { isRecord } from '../values/is-record.ts';

/** UTF-16 units before the first brace: a longer text is prose with an example in it. */
const PREFIX_LIMIT = 120;
const TEXTS = [
  'message',
  'error_message',
  'errorMessage',
  'detail',
  'error_description',
  'description',
  'msg',
  'reason',
  'title',
];
const NAMES = ['name', 'code', 'type', 'error_code', 'status'];
const INNER = ['error', 'errors', 'detail', 'details', 'data', 'fault', 'body'];
const DEPTH_LIMIT = 4;

/**
 * The message inside a text that is JSON, or ends in it.
 * @param text of an answer that failed, without the SDK's prefixes.
 * @returns e.g. `ValidationError: title is required`; the text itself where there is nothing inside it.
 */
export function innerMessage(text: string): string {
  const opens = text.search(/[{[]/);
  if (opens < 0 || opens > PREFIX_LIMIT || !/[}\]]\s*$/.test(text)) return text;
  try {
    const inner = messageIn(JSON.parse(text.slice(opens)), DEPTH_LIMIT);
    return inner === '' ? text : `${text.slice(0, opens)}${inner}`;
  } catch {
    // Brackets around something else, or JSON that was cut.
    return text;
  }
}

function messageIn(value: unknown, depth: number): string {
  if (depth === 0) return '';
  if (Array.isArray(value))
    return value
      .slice(0, 3)
      .map((item) => messageIn(item, depth - 1))
      .filter(Boolean)
      .join('; ');
  if (!isRecord(value)) return '';
  const inner = INNER.map((key) => value[key]);
  const nested = inner.map((item) => messageIn(item, depth - 1)).find((found) => found !== '');
  const said = nested ?? textAmong(value, TEXTS) ?? inner.find((item) => typeof item === 'string');
  if (typeof said !== 'string' || said === '') return '';
  const name = textAmong(value, NAMES);
  return name === undefined || said.startsWith(name) || nested !== undefined ? said : `${name}: ${said}`;
}

function textAmong(value: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys
    .map((key) => value[key])
    .find((item): item is string => typeof item === 'string' && item !== '');
}

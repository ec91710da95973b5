// Finds the message in an error that is JSON: `{"error":{"name","message"}}`. Text before the JSON ("HTTP 400: {…}") stays.
import { isRecord } from '../values/is-record.ts';

/** Maximum text before the JSON: a longer one is prose with an example. */
const MAX_PREFIX_LENGTH = 120;
const MESSAGE_KEYS = [
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
const NAME_KEYS = ['name', 'code', 'type', 'error_code', 'status'];
const NESTED_KEYS = ['error', 'errors', 'detail', 'details', 'data', 'fault', 'body'];
const MAX_DEPTH = 4;

/** The message inside a text that is or ends in JSON, such as `ValidationError: title is required`; otherwise the text itself. */
export function findInnerMessage(text: string): string {
  const opens = text.search(/[{[]/);
  if (opens < 0 || opens > MAX_PREFIX_LENGTH || !/[}\]]\s*$/.test(text)) return text;
  try {
    const inner = findMessage(JSON.parse(text.slice(opens)), MAX_DEPTH);
    return inner === '' ? text : `${text.slice(0, opens)}${inner}`;
  } catch {
    // Not JSON, or truncated.
    return text;
  }
}

function findMessage(value: unknown, depth: number): string {
  if (depth === 0) return '';
  if (Array.isArray(value))
    return value
      .slice(0, 3)
      .map((item) => findMessage(item, depth - 1))
      .filter(Boolean)
      .join('; ');
  if (!isRecord(value)) return '';
  const inner = NESTED_KEYS.map((key) => value[key]);
  const nested = inner.map((item) => findMessage(item, depth - 1)).find((found) => found !== '');
  const message = nested ?? findText(value, MESSAGE_KEYS) ?? inner.find((item) => typeof item === 'string');
  if (typeof message !== 'string' || message === '') return '';
  const name = findText(value, NAME_KEYS);
  return name === undefined || message.startsWith(name) || nested !== undefined
    ? message
    : `${name}: ${message}`;
}

function findText(value: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys
    .map((key) => value[key])
    .find((item): item is string => typeof item === 'string' && item !== '');
}

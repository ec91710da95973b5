// Makes one short word of whatever somebody calls an error code, or nothing: a code becomes a column of few values and
// leaves the process in every capture mode, so ids and free words must not pass.
import { redactShortText } from '../values/redact-text.ts';
import { isKnownName } from '../values/vocabulary.ts';

/** UTF-16 units. */
const MAX_CODE_LENGTH = 64;

/** Say "it failed" and no more. */
const GENERIC_WORD =
  /^(?:error|err|fail|failed|failure|exception|true|false|null|none|undefined|ok|success|unknown)$/i;

/**
 * A usable error code, or ''.
 * @param raw numbers: HTTP statuses 400 to 599 become `HTTP_404`, other integers their digits, 0 and 1xx to 3xx nothing.
 *   Texts: constants, class names, and lower-case names made of known words; longer than 64 characters, with blanks,
 *   or looking like an id: nothing.
 */
export function normaliseCode(raw: unknown): string {
  if (typeof raw === 'number') return normaliseNumber(raw);
  if (typeof raw !== 'string') return '';
  const text = raw.trim();
  if (/^-?\d{1,6}$/.test(text)) return normaliseNumber(Number(text));
  const status = /^HTTP[ _-]?([45]\d\d)$/i.exec(text)?.[1];
  if (status !== undefined) return `HTTP_${status}`;
  return isCodeName(text) ? text : '';
}

/** Whether a text is written as class names are: `TypeError`, `sqlite3.OperationalError`, `java.io.IOException`. */
export function isClassName(text: string): boolean {
  if (text.length > 128 || !/^(?:[A-Za-z_]\w*(?:\.|::))*[A-Z]\w*$/.test(text)) return false;
  const name = text.split(/[.:]/).at(-1) ?? '';
  return (
    /(?:Error|Exception|Fault|Failure|Warning|Interrupt|Exit|Timeout)\d?$/.test(name) || isKnownName(name)
  );
}

function normaliseNumber(code: number): string {
  if (!Number.isInteger(code) || Math.abs(code) > 999_999) return '';
  if (code >= 400 && code <= 599) return `HTTP_${code}`;
  return code >= 0 && code < 400 && (code === 0 || code >= 100) ? '' : String(code);
}

function isCodeName(text: string): boolean {
  if (text.length > MAX_CODE_LENGTH || GENERIC_WORD.test(text) || isIdLike(text)) return false;
  // Keys come in capitals too.
  if (redactShortText(text) !== text) return false;
  if (/^[A-Z][A-Z0-9]*(?:[_.:/-][A-Z0-9]+)*$/.test(text)) return !hasRandomPart(text);
  if (isClassName(text)) return true;
  return /^[A-Za-z][\w./:-]*$/.test(text) && text.split(/[/:]/).every((part) => isKnownName(part));
}

/** Parts no constant has: a dozen characters with letters behind digits, or so many letters that they are no word. */
function hasRandomPart(text: string): boolean {
  return text.split(/[_.:/-]/).some((part) => part.length > 32 || /^(?=.{12})[A-Z]*\d+[A-Z]/.test(part));
}

/** UUIDs, hashes, long numbers, letters and digits in turns: what identifies one thing, not one kind of failure. */
function isIdLike(text: string): boolean {
  const digitGroups = text.match(/\d+/g)?.length ?? 0;
  return /\d{6}/.test(text) || digitGroups > 2 || /^(?=.*\d)[0-9a-f-]{8,}$/i.test(text);
}

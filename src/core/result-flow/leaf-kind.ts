// Which values are worth following. A value that many things have (`open`, 20, a year) would seem to be fed from anywhere.

import { toArgumentRole } from '../values/argument-role.ts';
import { isKnownName } from '../values/vocabulary.ts';

/**
 * `telling`: equal values are the same thing. `weak`: they are only where the names say so, too: `user_id` 7 and `users[].id` 7.
 */
export type LeafKind = 'telling' | 'weak';

/** UTF-16 units of a text that is followed as a whole, and of the shortest one that tells by itself. */
const MAX_WHOLE_LENGTH = 512;
const MIN_TELLING_LENGTH = 8;

/** A value that starts so is a date: many things have the same, and its parts say nothing. */
const DATE = /^\d{4}-\d\d-\d\d/;
const MAX_DATE_LENGTH = 10;

/** Values are classified before they are looked up; a word of English only when it was found, since looking that up costs more. */
export function classifyText(text: string): LeafKind | undefined {
  const trimmed = text.length > 0 && (text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32);
  const value = trimmed ? text.trim() : text;
  if (value === '' || value.length > MAX_WHOLE_LENGTH) return undefined;
  if (isNumeral(value)) return classifyNumber(Number(value));
  return value.length < MIN_TELLING_LENGTH ? 'weak' : 'telling';
}

/** Numbers of a thousand and less, years and round numbers are counts, limits and amounts as often as ids. */
export function classifyNumber(value: number): LeafKind | undefined {
  if (!Number.isFinite(value) || value === 0) return undefined;
  const size = Math.abs(value);
  if (!Number.isInteger(value)) return size > 1000 ? 'telling' : undefined;
  const isCommon = size <= 1000 || (size >= 1900 && size <= 2100) || size % 500 === 0;
  return isCommon ? 'weak' : 'telling';
}

function isNumeral(value: string): boolean {
  return value.length <= 15 && /^\d+$/.test(value);
}

/** Whether a text that was found is one that sessions share: a word of the API vocabulary, or a day. */
export function isOrdinaryText(text: string): boolean {
  return isDay(text) || isKnownName(text.trim());
}

export function isDay(text: string): boolean {
  return text.length === MAX_DATE_LENGTH && DATE.test(text);
}

/** An argument that says how much, when or why is never fed, whatever its value. */
export function isFollowed(argument: string): boolean {
  const role = toArgumentRole(argument);
  return role !== 'limit' && role !== 'nonce' && role !== 'moment' && role !== 'prose';
}

/** Blanks, and what stands around ids in URLs, paths, lists, JSON and sentences. */
const TOKEN = /[A-Za-z0-9_@.+\-\u00c0-\uffff]{3,128}/g;
const BLANK = /\s/;
/** Without one of these a text has no parts; nearly all ids are such texts. */
const SEPARATOR = /[^A-Za-z0-9_@.+\-\u00c0-\uffff]/;

/** UTF-16 units of each end of a long text that are searched. */
const MAX_SEARCHED_LENGTH = 4096;

/** Whether a text is searched in part only. */
export function isSearchedInPart(text: string): boolean {
  return text.length > 2 * MAX_SEARCHED_LENGTH;
}

/**
 * The parts of a text that may be followed: of a sentence what looks like an id, an address or a slug; of a URL, a path or a list
 * also names. None of a time.
 */
export function listTokens(text: string): readonly string[] {
  if (!SEPARATOR.test(text) || (DATE.test(text) && text.length < 40)) return [];
  const searched = isSearchedInPart(text)
    ? `${text.slice(0, MAX_SEARCHED_LENGTH)} ${text.slice(-MAX_SEARCHED_LENGTH)}`
    : text;
  const isProse = BLANK.test(searched.trim());
  const tokens: string[] = [];
  for (const [found] of searched.matchAll(TOKEN)) {
    const token = trimPunctuation(found);
    if (token.length !== text.length && isTokenFollowed(token, isProse)) tokens.push(token);
  }
  return tokens;
}

function trimPunctuation(token: string): string {
  return token.replace(/^[.\-+]+|[.\-+]+$/g, '');
}

function isTokenFollowed(token: string, isProse: boolean): boolean {
  if (isNumeral(token)) return classifyNumber(Number(token)) === 'telling';
  if (DATE.test(token)) return false;
  const hasDigit = /\d/.test(token);
  if (hasDigit && token.length >= 6 && /[A-Za-z\u00c0-\uffff]/.test(token)) return true;
  if (token.length < MIN_TELLING_LENGTH) return false;
  if (/.@.|._.|-.+-/.test(token)) return true;
  return !isProse && !isKnownName(token);
}

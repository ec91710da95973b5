// Turns an error message into what all its siblings share, so that they count as one and carry no personal data.
// Not a block list: whatever is not a known word, a code of the operating system or punctuation is replaced, because
// a message may quote anything, unquoted, from anywhere.

import { isKnownName } from './vocabulary.ts';

/** UTF-16 units of a message that count; the cause stands at the beginning. */
const MAX_FAILURE_LENGTH = 400;

const ARGUMENT_REFUSAL =
  /\b(?:invalid|validation|required|missing|must|expected|should be|not allowed|unrecognized|schema|type[_ ]error)\b/i;

/** Left to right: UUIDs, URLs, addresses, paths, long ids, slugs, numbers. */
const VARIABLE_PART =
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+|[\w.+-]{1,64}@[\w.-]+|(?<![\w<])(?:[a-z]:\\|~?\.{0,2}\/)[^\s"'<>|:,;)\]}]+|\b[\w.-]{1,64}(?:[/\\][\w.@-]+)+|\b(?=[a-z_-]*\d)[\w-]{6,}\b|\b[a-z]+(?:-[a-z]+){2,}\b|[+-]?\d+(?:[.,:]\d+)*/gi;
const QUOTED =
  /"[^"\n]{0,200}"|“[^”\n]{0,200}”|`[^`\n]{0,200}`|(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?![\p{L}\p{N}])/gu;

/** Below the first line stands what was sent, or where it happened. */
function takeFirstLine(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line.length >= MIN_LINE_LENGTH ? line : text;
}

const MIN_LINE_LENGTH = 12;

/**
 * The text of a failure by which it is told from others.
 * @param message raw, as the judgement gives it: it is hashed, and never leaves as it is.
 * @returns lower case, '' for an empty message.
 */
export function normaliseFailureText(message: string): string {
  const head = message.slice(0, MAX_FAILURE_LENGTH);
  const cause = ARGUMENT_REFUSAL.test(head) ? head : takeFirstLine(head).replace(QUOTED, '#');
  return cause.replace(VARIABLE_PART, '#').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** UTF-16 units at each end. */
const EXCERPT_END_LENGTH = 4096;

/**
 * First and last 4 kB of a text longer than both together, with the number of units left out between them, so that
 * texts of different length never give one excerpt. Shorter texts come back unchanged.
 */
export function toExcerpt(text: string): string {
  if (text.length <= 2 * EXCERPT_END_LENGTH) return text;
  const head = text.slice(
    0,
    isLowSurrogate(text, EXCERPT_END_LENGTH) ? EXCERPT_END_LENGTH - 1 : EXCERPT_END_LENGTH,
  );
  const start = text.length - EXCERPT_END_LENGTH;
  const tail = text.slice(isLowSurrogate(text, start) ? start + 1 : start);
  return `${head}\n[${text.length - head.length - tail.length} more]\n${tail}`;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** UTF-16 units of a template. */
export const MAX_TEMPLATE_LENGTH = 200;
/** A message is read this far; its template is full long before. */
const MAX_READ_LENGTH = 600;

interface TemplateOptions {
  /** Names that are the server's own (declared properties, enum values), allowed beside the vocabulary. */
  readonly known?: readonly string[];
}

/** Tried left to right at each position; the placeholder of the first that matches is written. */
const TOKENS: readonly (readonly [pattern: string, placeholder: string])[] = [
  ['"[^"\\n]{0,400}"|“[^”\\n]{0,400}”|«[^»\\n]{0,400}»|`[^`\\n]{0,400}`', '<str>'],
  // An apostrophe inside a word (don't) opens nothing.
  ["(?<![\\p{L}\\p{N}])'[^'\\n]{0,400}'(?![\\p{L}\\p{N}])", '<str>'],
  ['[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\\s"\'<>)\\]}]+|www\\.[^\\s"\'<>)\\]}]+', '<url>'],
  ["[\\p{L}\\p{N}._%+'-]{1,64}@[\\p{L}\\p{N}.-]+", '<id>'],
  // Windows paths, rooted, home and relative paths; then names with an extension.
  ['[a-zA-Z]:\\\\[^\\s"\'<>|:]*|(?<![\\p{L}\\p{N}<])(?:\\.{1,2}|~)?/[^\\s"\'<>|:,;)\\]}]+', '<path>'],
  ['[\\p{L}\\p{N}_.-]{1,64}(?:[/\\\\][\\p{L}\\p{N}_.@-]+)+/?', '<path>'],
  ['[\\p{L}\\p{N}_-]{1,64}\\.(?:[a-z]{1,5}\\d?)(?![\\p{L}\\p{N}_])', '<path>'],
  ['[+-]?\\d+(?:[.,:]\\d+)*(?![\\p{L}\\p{N}_])', '<n>'],
  ["[\\p{L}\\p{N}\\p{M}_$][\\p{L}\\p{N}\\p{M}_$.'’-]*", 'word'],
  // Neither ASCII nor a letter: symbols, emoji, private use.
  ['[^\\x00-\\x7f]+', '<word>'],
];

const TOKEN = new RegExp(TOKENS.map(([pattern]) => `(${pattern})`).join('|'), 'gu');
const EXTENSION_WORD = /^[\p{L}\p{N}_-]+\.[a-z]{1,5}\d?$/u;

/**
 * The masked template of a message: quoted strings become `<str>`, URLs `<url>`, paths `<path>`, numbers `<n>`, ids and
 * addresses `<id>`, and any word that is not common error English `<word>`.
 * @returns one line of at most 200 characters. No run of letters of the message survives that is not in the vocabulary
 *   or in `known`.
 */
export function toErrorTemplate(message: string, { known = [] }: TemplateOptions = {}): string {
  const allowed = new Set(known.map((name) => name.toLowerCase()));
  const line = message.slice(0, MAX_READ_LENGTH).replace(/[\s\p{Cc}]+/gu, ' ');
  const masked = line.replace(TOKEN, (match: string, ...groups: unknown[]) => {
    const at = groups.findIndex((group) => group !== undefined);
    const placeholder = TOKENS[at]?.[1] ?? '<word>';
    return isKeptWord(match, placeholder, allowed) ? maskToken(match, allowed) : placeholder;
  });
  return collapsePlaceholders(masked)
    .slice(0, MAX_TEMPLATE_LENGTH)
    .replace(/<[a-z]*$/, '')
    .trim();
}

/** `filter.limit` looks like a file name; if both halves are known it is a name of the API. */
function isKeptWord(match: string, placeholder: string, allowed: ReadonlySet<string>): boolean {
  if (placeholder !== '<path>') return placeholder === 'word';
  return EXTENSION_WORD.test(match) && match.split('.').every((part) => isAllowed(part, allowed));
}

function maskToken(token: string, allowed: ReadonlySet<string>): string {
  const [, word = '', trail = ''] = /^(.*?)([.'’-]*)$/u.exec(token) ?? [];
  return maskWord(word, allowed) + trail.replaceAll('’', "'");
}

function maskWord(word: string, allowed: ReadonlySet<string>): string {
  if (allowed.has(word.toLowerCase())) return word;
  const quantity = /^(\d+(?:\.\d+)*)(ns|us|ms|s|m|h|d|[kmgt]i?b|b|px|st|nd|rd|th)$/i.exec(word);
  if (quantity) return `<n>${quantity[2] ?? ''}`;
  return word
    .split(/(['’.])/u)
    .map((part) => (/^['’.]?$/u.test(part) ? part.replace('’', "'") : maskPart(part, allowed)))
    .join('');
}

function maskPart(part: string, allowed: ReadonlySet<string>): string {
  if (isAllowed(part, allowed)) return part;
  return /\d/.test(part) ? '<id>' : '<word>';
}

function isAllowed(part: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has(part.toLowerCase()) || isKnownName(part, allowed);
}

/** Lists of values and long runs of punctuation say only how much there was; how much is not part of the template. */
function collapsePlaceholders(masked: string): string {
  return masked
    .replace(/(<[a-z]+>)(?:(?:[ ,|/&+]|, ?(?:and|or) | (?:and|or) )*\1)+/g, '$1')
    .replace(/<word>(?:[ -]*<(?:word|id)>)+/g, '<word>')
    .replace(/([^\w\s<>])\1{2,}/g, '$1$1$1')
    .replace(/ {2,}/g, ' ')
    .trim();
}

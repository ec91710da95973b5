// Turns an error message into what all its siblings share, so that they count as one and carry nobody's data.
// Not a block list: whatever is not a known word, a code of the operating system or punctuation is replaced, because
// a message may quote anything, unquoted, from anywhere.
import { isKnownName } from './vocabulary.ts';

/** UTF-16 units of a template. */
export const MAX_TEMPLATE_LENGTH = 200;
/** A message is read this far; its template is full long before. */
const MAX_READ_LENGTH = 600;

export interface TemplateOptions {
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

// Escapes untrusted text for GitHub's Markdown: it cannot produce a link, image, mention, reference, HTML,
// formula or table delimiter. Backslash escapes are not enough, because GitHub finds mentions in the rendered
// text.

/** Control, format (bidirectional, zero-width) and invisible characters; line breaks are spaces by then. */
const UNPRINTABLE = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Markdown syntax, and the beginnings of autolinks. */
const MARKUP = /[`*[\]<>|~@#&\\$]|:\/\/|www\.|mailto:|\bGH-\d|(?:^|[^\p{L}\p{N}])_|_(?:$|[^\p{L}\p{N}])/iu;

/** Formats text for a paragraph: words with markup are quoted as code, all others are unchanged. */
export function formatMarkdownText(text: string): string {
  const words = toLine(text).split(' ');
  return words.map((word) => (MARKUP.test(word) ? formatMarkdownCode(word) : word)).join(' ');
}

/** Quotes text as code, so that none of it is read as Markdown and no table cell ends early. */
export function formatMarkdownCode(text: string): string {
  if (text === '') return '';
  const inner = toLine(text).replaceAll('|', '\\|');
  const runs = inner.match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  if (longest === 0) return `\`${inner}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${inner} ${fence}`;
}

/** A URL for the parentheses of a link. */
export function formatMarkdownUrl(url: string): string {
  return url.replace(/[()<>\s\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNPRINTABLE, '\ufffd');
}

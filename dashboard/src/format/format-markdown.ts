// Texts of strangers in GitHub's Markdown: no link, image, mention, reference, HTML, formula or end of a table comes of them.
// A backslash would not do: who is mentioned is looked for in what was rendered.

/** Controls, formats (bidirectional, zero-width) and what is drawn as nothing; line breaks are blanks by then. */
const UNPRINTABLE = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** What means something in Markdown, and the beginnings of links that need no brackets. */
const MARKUP = /[`*[\]<>|~@#&\\$]|:\/\/|www\.|mailto:|\bGH-\d|(?:^|[^\p{L}\p{N}])_|_(?:$|[^\p{L}\p{N}])/iu;

/** A text for a line of prose: words with markup in them are quoted as code, all others stay as they are. */
export function formatMarkdownText(text: string): string {
  const words = toLine(text).split(' ');
  return words.map((word) => (MARKUP.test(word) ? formatMarkdownCode(word) : word)).join(' ');
}

/** A text quoted so that nothing in it is read as Markdown, and no table ends early. */
export function formatMarkdownCode(text: string): string {
  if (text === '') return '';
  const inner = toLine(text).replaceAll('|', '\\|');
  const runs = inner.match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  if (longest === 0) return `\`${inner}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${inner} ${fence}`;
}

/** An address for the round brackets of a link. */
export function formatMarkdownUrl(url: string): string {
  return url.replace(/[()<>\s\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(UNPRINTABLE, '\ufffd');
}

// Formats CSV by RFC 4180, safe to open in a spreadsheet: a text that would be read as a formula is prefixed
// with an apostrophe (OWASP, CSV injection). Tool names and error texts are untrusted.

/**
 * What begins a formula, in the full width of East Asian scripts too, behind the border of a cell and what a spreadsheet
 * leaves out there: blanks, controls, what has no width. Where the separator is a semicolon or a tab, quotes that do not begin
 * a cell mean nothing, so that a semicolon, a tab and a line break within a text are borders as well.
 */
const FORMULA =
  /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}"'])*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212])/gu;
const NEEDS_QUOTES = /[",;\t\r\n]/;

/** @returns one line with its CRLF */
export function formatCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

function formatCell(value: unknown): string {
  if (typeof value === 'object' && value !== null) return formatCell(JSON.stringify(value));
  if (typeof value !== 'string') return String(value ?? '');
  const text = value.replace(FORMULA, "'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// CSV by RFC 4180, safe to open in a spreadsheet: a text that would be read as a formula gets a leading apostrophe
// (OWASP, CSV injection). Tool names and error texts come from strangers.

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** @returns one line with its CRLF */
export function formatCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

function formatCell(value: unknown): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One row as a line of JSON that the store can read. JavaScript texts may hold half of a surrogate pair: sent so, or left
// by cutting a text in the middle of an emoji. JSON.stringify writes it as an escape, and the store refuses the whole batch.

/** An escaped backslash is matched first, so that what follows it is not taken for an escape. */
const ESCAPE = /\\(\\|ud[89a-f][0-9a-f]{2})/g;

/** @returns the row and a line break; half a character becomes U+FFFD */
export function formatRow(row: object): string {
  const line = JSON.stringify(row);
  if (!line.includes('\\ud')) return `${line}\n`;
  return `${line.replace(ESCAPE, (found, what: string) => (what === '\\' ? found : '\\ufffd'))}\n`;
}

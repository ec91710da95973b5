// Formats a row as a JSON line that the store can parse. JavaScript strings may contain an unpaired
// surrogate, sent so or left by truncation; JSON.stringify writes it as an escape, and the store refuses the
// whole batch.

/** An escaped backslash is matched first, so that the following characters are not taken for an escape. */
const ESCAPE = /\\(\\|ud[89a-f][0-9a-f]{2})/g;

/** @returns the row and a line break; an unpaired surrogate becomes U+FFFD */
export function formatRow(row: object): string {
  return `${formatValue(row)}\n`;
}

/** @returns the value as JSON; an unpaired surrogate becomes U+FFFD */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(ESCAPE, (found, what: string) => (what === '\\' ? found : '\\ufffd'));
}

// A chart's figures as CSV: one line a bucket, for each line its value and the calls behind it. Times are UTC, values are
// bare numbers.
import type { PreparedChart } from './prepared-chart.ts';

export function prepareCsv({ lines, bucketMs }: PreparedChart): string {
  const head = ['from', ...lines.flatMap(({ label }) => [label, `${label} n`])];
  const rows = (lines[0]?.points ?? []).map(({ atMs }, at) => [
    new Date(Math.floor(atMs / bucketMs) * bucketMs).toISOString(),
    ...lines.flatMap(({ points }) => [points[at]?.value ?? '', points[at]?.n ?? 0]),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

/** A name that a spreadsheet would take for a formula is told as text. */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

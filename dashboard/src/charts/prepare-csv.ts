// Formats charts and tables as CSV. A chart has one row per bucket with the value and the call count of each
// line; a table has one row per row. Times are UTC, values are plain numbers.
import type { PreparedChart } from './prepared-chart.ts';

/** A plain value: milliseconds, counts, fractions, or ISO 8601 times in UTC; null when there is none. */
type RawValue = string | number | null;

/** The CSV columns of a table column: one per value of a cell, none if it repeats another column. */
export interface CsvColumn<T> {
  /** Each with its name in the file, unit included: `p95Ms`. */
  readonly raw: readonly (readonly [name: string, of: (row: T) => RawValue])[];
}

interface CsvTable<T> {
  readonly columns: readonly CsvColumn<T>[];
  readonly rows: readonly T[];
}

export function toChartCsv({ lines, bucketMs, raw }: PreparedChart): string {
  const head = ['from', ...lines.flatMap(({ label }) => [`${label} ${raw.name}`, `${label} n`])];
  const rows = (lines[0]?.points ?? []).map(({ atMs }, at) => [
    new Date(Math.floor(atMs / bucketMs) * bucketMs).toISOString(),
    ...lines.flatMap(({ points }) => {
      const { value = null, n = 0 } = points[at] ?? {};
      return [value === null ? null : trimFloat(value * raw.times), n];
    }),
  ]);
  return formatCsv([head, ...rows]);
}

export function toTableCsv<T>({ columns, rows }: CsvTable<T>): string {
  const raw = columns.flatMap((column) => column.raw);
  return formatCsv([raw.map(([name]) => name), ...rows.map((row) => raw.map(([, of]) => of(row)))]);
}

function formatCsv(lines: readonly (readonly RawValue[])[]): string {
  return lines.map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('');
}

/** Text that a spreadsheet would evaluate as a formula is escaped. */
function formatCell(value: RawValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Removes the excess digits of floating-point multiplication. */
function trimFloat(value: number): number {
  return Number(value.toPrecision(12));
}

interface CsvFileNameParts {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly session?: string | undefined;
  readonly range?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

/** "latency_github_search_issues_20261120T120000Z_20261121T120000Z.csv" */
export function formatCsvFileName(id: string, { server, tool, session, range }: CsvFileNameParts): string {
  const names = [id, server, tool, session].flatMap((name) =>
    name ? [name.replace(/[^\w.-]+/g, '-').slice(0, 60)] : [],
  );
  const times = range ? [range.fromMs, range.toMs].map(toCompactTime) : [];
  return `${[...names, ...times].join('_')}.csv`;
}

function toCompactTime(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

// One value in the ways servers write it.
export const RESULT_FORMATS = ['json', 'pretty', 'structured', 'lines', 'table', 'wrapped'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

export type Row = Readonly<Record<string, unknown>>;

/** A whole MCP result of one text. */
export function textResult(text: string): object {
  return { content: [{ type: 'text', text }] };
}

/** A text stays as it is; rows and records are written as the dialect has it. */
export function renderResult(value: string | Row | readonly Row[], dialect: ResultFormat): object {
  if (typeof value === 'string') return textResult(value);
  const text = renderText(value, dialect);
  if (dialect !== 'structured') return textResult(text);
  return { content: [{ type: 'text', text }], structuredContent: isList(value) ? { items: value } : value };
}

function renderText(value: Row | readonly Row[], dialect: ResultFormat): string {
  const rows = isList(value) ? value : [value];
  if (dialect === 'json' || dialect === 'structured') return JSON.stringify(value);
  if (dialect === 'pretty') return JSON.stringify(value, undefined, 2);
  if (dialect === 'wrapped') return JSON.stringify({ ok: true, count: rows.length, data: value });
  if (rows.length === 0) return 'No results.';
  return dialect === 'lines' ? rows.map(toLines).join('\n\n') : toTable(rows);
}

function isList(value: Row | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value);
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function toLines(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${cell(value)}`)
    .join('\n');
}

function toTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => cell(row[name])));
  return [names, names.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

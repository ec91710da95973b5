// The rows of the tools table: counts beside what was read from calls in their order, and which tab a tool is on. The
// second answer may come later than the first, so every figure of it may be absent.
import type { ToolRow } from '../../../../src/contract/answers.ts';
import type { ToolColumnsRow } from '../../../../src/contract/tool.ts';
import type { ToolTab } from '../../paths.ts';

export interface ToolLine extends ToolRow {
  readonly more: ToolColumnsRow | undefined;
}

/** From here on a tool is slow: a person waits. */
export const SLOW_FROM_MS = 1_000;
/** From here on a result or a definition is expensive, in tokens. */
export const LONG_RESULT_FROM = 2_000;
export const LONG_DEFINITION_FROM = 300;

export function prepareToolRows(
  rows: readonly ToolRow[],
  columns: readonly ToolColumnsRow[] = [],
): ToolLine[] {
  const known = new Map(columns.map((row) => [`${row.server}\n${row.tool}`, row]));
  return rows.map((row) => ({ ...row, more: known.get(`${row.server}\n${row.tool}`) }));
}

/** The rows of one tab of called tools; all of them where there is none. */
export function selectTab(rows: readonly ToolLine[], tab: ToolTab | undefined): readonly ToolLine[] {
  if (tab === 'failing') return rows.filter(({ errors }) => errors > 0);
  if (tab === 'slow') return rows.filter(({ p95Ms }) => (p95Ms ?? 0) >= SLOW_FROM_MS);
  if (tab === 'expensive') return rows.filter(isExpensive);
  return rows;
}

function isExpensive({ more }: ToolLine): boolean {
  return (
    (more?.resultTokensP95 ?? 0) >= LONG_RESULT_FROM || (more?.definitionTokens ?? 0) >= LONG_DEFINITION_FROM
  );
}

/** A part of those errors whose session says what came next; null where none does. */
export function shareOfNext(line: ToolLine, kind: 'recovered' | 'gaveUp'): number | null {
  const next = line.more?.next;
  return !next || next.n === 0 ? null : next[kind] / next.n;
}

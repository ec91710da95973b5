// The rows of the tools table: counts beside what was read from calls in their order, and which tab a tool is on. The
// second answer may come later than the first, so every figure of it may be absent.
import type { ToolRow } from '../../../../src/contract/responses.ts';
import type { ToolColumnsRow } from '../../../../src/contract/tool.ts';
import type { ToolTab } from '../../paths.ts';

export interface ToolTableRow extends ToolRow {
  readonly details: ToolColumnsRow | undefined;
}

/** From here on a tool is slow: a person waits. */
export const MIN_SLOW_MS = 1_000;
/** From here on a result or a definition is expensive, in tokens. */
export const MIN_LONG_RESULT_TOKENS = 2_000;
export const MIN_LONG_DEFINITION_TOKENS = 300;

export function prepareToolTableRows(
  rows: readonly ToolRow[],
  columns: readonly ToolColumnsRow[] = [],
): ToolTableRow[] {
  const known = new Map(columns.map((row) => [`${row.server}\n${row.tool}`, row]));
  return rows.map((row) => ({ ...row, details: known.get(`${row.server}\n${row.tool}`) }));
}

/** The rows of one tab of called tools; all of them where there is none. */
export function filterByTab(
  rows: readonly ToolTableRow[],
  tab: ToolTab | undefined,
): readonly ToolTableRow[] {
  if (tab === 'failing') return rows.filter(({ errors }) => errors > 0);
  if (tab === 'slow') return rows.filter(({ p95Ms }) => (p95Ms ?? 0) >= MIN_SLOW_MS);
  if (tab === 'expensive') return rows.filter(isExpensive);
  return rows;
}

function isExpensive({ details }: ToolTableRow): boolean {
  return (
    (details?.resultTokensP95 ?? 0) >= MIN_LONG_RESULT_TOKENS ||
    (details?.definitionTokens ?? 0) >= MIN_LONG_DEFINITION_TOKENS
  );
}

/** A part of those errors whose session says what came next; null where none does. */
export function toNextShare(line: ToolTableRow, kind: 'recovered' | 'gaveUp'): number | null {
  const next = line.details?.next;
  return !next || next.n === 0 ? null : next[kind] / next.n;
}

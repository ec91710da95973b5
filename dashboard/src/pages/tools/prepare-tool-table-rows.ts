// Prepares the rows of the tools table from two queries, the counts and the slower details, and selects the
// rows of each tab. The details may arrive later, so each of their fields is optional.

import type { ToolColumnsRow } from '../../../../src/contract/tool.ts';
import type { ToolRow } from '../../../../src/contract/tools.ts';
import type { ToolTab } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';

export interface ToolTableRow extends ToolRow {
  readonly details: ToolColumnsRow | undefined;
}

/** A tool is slow from this latency on, because a user notices the wait. */
export const MIN_SLOW_MS = 1_000;
/** A result or a definition is expensive from this number of tokens on. */
export const MIN_LONG_RESULT_TOKENS = 2_000;
export const MIN_LONG_DEFINITION_TOKENS = 300;

export function prepareToolTableRows(
  rows: readonly ToolRow[],
  columns: readonly ToolColumnsRow[] = [],
): ToolTableRow[] {
  const known = new Map(columns.map((row) => [toolKey(row), row]));
  return rows.map((row) => ({ ...row, details: known.get(toolKey(row)) }));
}

/** The called tools of one tab; all of them without a tab. */
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

/** The share of errors with that next action among those whose session shows one; null when none does. */
export function toNextShare(line: ToolTableRow, kind: 'recovered' | 'gaveUp'): number | null {
  const next = line.details?.next;
  return !next || next.n === 0 ? null : next[kind] / next.n;
}

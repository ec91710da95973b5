// Failures as a table of tools by codes: in each cell how many, and how much of the tool's calls that is.
import type { ErrorRow, ErrorsAnswer, ToolRow } from '../../../../src/contract/answers.ts';
import { prepareErrorGroups } from '../prepare-error-groups.ts';

export interface HeatCell {
  readonly code: string;
  readonly outcome: ErrorRow['outcome'];
  readonly count: number;
  /** Of the tool's calls. */
  readonly rate: number;
}

export interface HeatRow {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  /** One for each code of the table; undefined where the tool never failed so. */
  readonly cells: readonly (HeatCell | undefined)[];
  /** Errors whose code has no column. */
  readonly others: number;
}

export interface HeatTable {
  readonly codes: readonly string[];
  readonly rows: readonly HeatRow[];
  readonly moreTools: number;
  readonly hasOthers: boolean;
}

interface HeatOptions {
  readonly tools: readonly ToolRow[];
  readonly mostCodes?: number;
  readonly mostTools?: number;
}

/** Codes and tools with the most failures first. A code that ends in several outcomes is one column. */
export function prepareHeat(
  answer: ErrorsAnswer,
  { tools, mostCodes = 4, mostTools = 10 }: HeatOptions,
): HeatTable {
  const groups = prepareErrorGroups(answer, tools);
  const totals = new Map<string, number>();
  for (const { codes } of groups) {
    for (const row of codes) totals.set(nameOf(row), (totals.get(nameOf(row)) ?? 0) + row.count);
  }
  const codes = [...totals]
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, mostCodes)
    .map(([name]) => name);
  const rows = groups.slice(0, mostTools).map(({ server, tool, calls, errors, codes: own }): HeatRow => {
    const cells = codes.map((name) =>
      toCell(
        own.filter((row) => nameOf(row) === name),
        calls,
      ),
    );
    const shown = cells.reduce((sum, cell) => sum + (cell?.count ?? 0), 0);
    return { server, tool, calls, errors, cells, others: errors - shown };
  });
  return {
    codes,
    rows,
    moreTools: Math.max(0, groups.length - mostTools),
    hasOthers: rows.some(({ others }) => others > 0),
  };
}

function nameOf({ code, outcome }: ErrorRow): string {
  return code || outcome;
}

function toCell(rows: readonly ErrorRow[], calls: number): HeatCell | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return { code: first.code, outcome: first.outcome, count, rate: calls === 0 ? 0 : count / calls };
}

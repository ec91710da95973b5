// Prepares failures as a table of tools by codes: the count in each cell, and its share of the tool's calls.
import type { ErrorRow, ErrorsResponse, ToolRow } from '../../../../src/contract/tools.ts';
import { prepareErrorGroups } from '../tools/prepare-error-groups.ts';

export interface HeatmapCell {
  readonly code: string;
  readonly outcome: ErrorRow['outcome'];
  readonly count: number;
  /** Of the tool's calls. */
  readonly rate: number;
}

export interface HeatmapRow {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  /** One per code of the table; undefined if the tool never failed with that code. */
  readonly cells: readonly (HeatmapCell | undefined)[];
  /** Errors whose code has no column. */
  readonly others: number;
}

export interface Heatmap {
  readonly codes: readonly string[];
  readonly rows: readonly HeatmapRow[];
  readonly moreTools: number;
  readonly hasOthers: boolean;
}

interface HeatmapOptions {
  readonly tools: readonly ToolRow[];
  readonly maxCodes?: number;
  readonly maxTools?: number;
}

/** Codes and tools with the most failures first. A code with several outcomes is one column. */
export function prepareHeatmap(
  response: ErrorsResponse,
  { tools, maxCodes = 4, maxTools = 10 }: HeatmapOptions,
): Heatmap {
  const groups = prepareErrorGroups(response, tools);
  const totals = new Map<string, number>();
  for (const { codes } of groups) {
    for (const row of codes) totals.set(toCodeName(row), (totals.get(toCodeName(row)) ?? 0) + row.count);
  }
  const codes = [...totals]
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, maxCodes)
    .map(([name]) => name);
  const rows = groups.slice(0, maxTools).map(({ server, tool, calls, errors, codes: own }): HeatmapRow => {
    const cells = codes.map((name) =>
      toCell(
        own.filter((row) => toCodeName(row) === name),
        calls,
      ),
    );
    const shown = cells.reduce((sum, cell) => sum + (cell?.count ?? 0), 0);
    return { server, tool, calls, errors, cells, others: errors - shown };
  });
  return {
    codes,
    rows,
    moreTools: Math.max(0, groups.length - maxTools),
    hasOthers: rows.some(({ others }) => others > 0),
  };
}

function toCodeName({ code, outcome }: ErrorRow): string {
  return code || outcome;
}

function toCell(rows: readonly ErrorRow[], calls: number): HeatmapCell | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return { code: first.code, outcome: first.outcome, count, rate: calls === 0 ? 0 : count / calls };
}

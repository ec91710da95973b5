// Prepares callers as a table: the most called tools as columns, a cell for each.
import type { CallersResponse } from '../../../../src/contract/callers.ts';
import { type ToolRef, toolKey } from '../../view/tool-ref.ts';

export interface CallerCell extends ToolRef {
  readonly calls: number;
  readonly errors: number;
  /** Of the caller's calls. */
  readonly share: number;
}

export interface CallerMatrixRow {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** One per tool of the table; without calls if the caller does not call the tool. */
  readonly cells: readonly CallerCell[];
  /** Calls of tools without a column. */
  readonly others: number;
  /** Every tool of the caller, whether or not it has a column. */
  readonly all: readonly CallerCell[];
}

export interface CallerMatrix {
  readonly tools: readonly ToolRef[];
  readonly rows: readonly CallerMatrixRow[];
  /** Tools without a column. */
  readonly moreTools: number;
}

const MAX_TOOLS = 10;

/** @returns the callers of the response, with the ten tools that they call most */
export function prepareCallers({ callers }: CallersResponse): CallerMatrix {
  const totals = new Map<string, ToolRef & { readonly calls: number }>();
  for (const { server, tool, calls } of callers.flatMap((caller) => caller.tools)) {
    const key = toolKey({ server, tool });
    totals.set(key, { server, tool, calls: calls + (totals.get(key)?.calls ?? 0) });
  }
  const ranked = [...totals.values()].sort((a, b) => b.calls - a.calls);
  const tools = ranked.slice(0, MAX_TOOLS).map(({ server, tool }) => ({ server, tool }));
  const rows = callers.map(({ name, calls, errors, tools: own }) => {
    const all = own.map((cell) => ({ ...cell, share: cell.calls / calls }));
    const byKey = new Map(all.map((cell) => [toolKey(cell), cell]));
    const cells = tools.map((ref) => byKey.get(toolKey(ref)) ?? { ...ref, calls: 0, errors: 0, share: 0 });
    const others = calls - cells.reduce((sum, cell) => sum + cell.calls, 0);
    return { name, calls, errors, cells, others, all };
  });
  return { tools, rows, moreTools: ranked.length - tools.length };
}

// Groups errors by tool and code: each tool with its error rate, then its codes, the most frequent first.
import type { ErrorRow, ErrorsResponse, ToolRow } from '../../../../src/contract/tools.ts';
import { type ToolRef, toolKey } from '../../view/tool-ref.ts';

export interface ErrorGroup extends ToolRef {
  readonly calls: number;
  readonly errors: number;
  readonly rate: number;
  readonly codes: readonly ErrorRow[];
}

/** Only tools that failed, the most failures first. */
export function prepareErrorGroups(response: ErrorsResponse, tools: readonly ToolRow[]): ErrorGroup[] {
  const groups = new Map<string, ErrorRow[]>();
  for (const row of response.errors) {
    if (row.fault === 'none') continue;
    groups.set(toolKey(row), [...(groups.get(toolKey(row)) ?? []), row]);
  }
  return [...groups.values()]
    .flatMap((codes) => toGroup(codes, tools))
    .sort((a, b) => b.errors - a.errors || a.tool.localeCompare(b.tool));
}

function toGroup(rows: readonly ErrorRow[], tools: readonly ToolRow[]): ErrorGroup[] {
  const [first] = rows;
  if (!first) return [];
  const { server, tool } = first;
  const codes = [...rows].sort((a, b) => b.count - a.count || a.code.localeCompare(b.code));
  const errors = codes.reduce((sum, row) => sum + row.count, 0);
  const row = tools.find((one) => toolKey(one) === toolKey(first));
  // From the same query as the count: the tool's row may be older, and failures could exceed its calls.
  const calls = first.rate > 0 ? Math.round(first.count / first.rate) : (row?.calls ?? errors);
  return [{ server, tool, calls, errors, rate: calls === 0 ? 0 : errors / calls, codes }];
}

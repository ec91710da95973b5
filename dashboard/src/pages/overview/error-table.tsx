// The table view of the heatmap: every tool with each of its codes; the heatmap shows only some.
import type { ErrorRow, ErrorsResponse, ToolRow } from '../../../../src/contract/responses.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, textColumn } from '../../components/table-columns.tsx';
import { Rate } from '../../components/values.tsx';
import { prepareErrorGroups } from '../tools/prepare-error-groups.ts';

interface ErrorTableRow extends ErrorRow {
  /** Of the tool. */
  readonly calls: number;
}

export function toErrorTable(
  response: ErrorsResponse,
  tools: readonly ToolRow[],
): ExportTable<ErrorTableRow> {
  return {
    label: 'Every tool by code',
    rows: prepareErrorGroups(response, tools).flatMap(({ calls, codes }) =>
      codes.map((row) => ({ ...row, calls })),
    ),
    keyOf: ({ server, tool, code, outcome }) => `${server} ${tool} ${code} ${outcome}`,
    columns: [
      textColumn(['server', 'Server'], ({ server }) => server),
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      textColumn(['code', 'Code'], ({ code, outcome }) => code || outcome),
      {
        ...textColumn<ErrorTableRow>(['outcome', 'Outcome'], ({ outcome }) => outcome),
        cell: ({ outcome }) => formatOutcome(outcome),
      },
      textColumn(['fault', 'Fault'], ({ fault }) => fault),
      countColumn(['failures', 'Failures'], ({ count }) => count),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      {
        id: 'rate',
        header: 'Of its calls',
        align: 'end',
        cell: (row) => <Rate rate={rateOf(row)} n={row.calls} />,
        raw: [['rate', rateOf]],
      },
    ],
  };
}

function rateOf({ count, calls }: ErrorTableRow): number {
  return calls === 0 ? 0 : count / calls;
}

// How often each tool is called.
import { Link } from 'wouter';
import type { ToolRow, ToolsResponse } from '../../../../src/contract/responses.ts';
import { useSeries } from '../../api/queries.ts';
import { formatCallRate, prepareCallRate } from '../../charts/prepare-call-rate.ts';
import type { ColourSlots } from '../../charts/prepare-colour-slots.ts';
import { QueryBoundary, type QueryResult } from '../../components/query-boundary.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { Count } from '../../components/values.tsx';
import { countedCallsPath, toolPath, toolsPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { ListFooter } from './list-footer.tsx';
import { type HighlightLine, TimeSeriesPanel } from './time-series-panel.tsx';
import { toPreviousLabel } from './to-previous-label.ts';
import { toToolStatsTable } from './tool-stats-table.tsx';

export interface ToolChartPanelProps {
  readonly view: View;
  readonly tools: QueryResult<ToolsResponse>;
  readonly slots: ColourSlots;
}

/** Rows next to a chart; the tools page lists the others. */
export const MAX_LIST_ROWS = 8;

export function CallRatePanel({ view, tools, slots }: ToolChartPanelProps) {
  const series = useSeries(view, 'calls');
  return (
    <TimeSeriesPanel
      id="calls"
      title="Call rate per tool"
      label="Calls per tool over time, as a rate"
      series={series}
      prepare={(response, nowMs) =>
        prepareCallRate(response, { slots, nowMs, previousLabel: toPreviousLabel(response, view) })
      }
      emptyText="No tool was called in this range."
      renderTable={(point) => (
        <QueryBoundary
          result={tools}
          skeletonRows={6}
          empty={({ tools }) => (tools.length > 0 ? undefined : 'No calls to count.')}
        >
          {({ tools: rows, range }) => <CallRateTable {...{ rows, range, view, slots, highlight: point }} />}
        </QueryBoundary>
      )}
    />
  );
}

interface CallRateTableProps {
  readonly rows: readonly ToolRow[];
  readonly range: ToolsResponse['range'];
  readonly view: View;
  readonly slots: ColourSlots;
  readonly highlight: HighlightLine;
}

function CallRateTable({ rows, range, view, slots, highlight }: CallRateTableProps) {
  const byCalls = [...rows].sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool));
  return (
    <>
      <table className="rank" aria-label="Calls per tool">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" className="end">
              Calls
            </th>
            <th scope="col" className="end">
              Rate
            </th>
          </tr>
        </thead>
        <tbody>
          {byCalls.slice(0, MAX_LIST_ROWS).map((row) => (
            <tr
              key={toolKey(row)}
              onPointerEnter={() => highlight(toolKey(row))}
              onPointerLeave={() => highlight(undefined)}
            >
              <td>
                <ToolName
                  row={row}
                  slot={slots.slotOf(toolKey(row))}
                  rows={rows}
                  path={toolPath(view, row)}
                />
              </td>
              <td className="end">
                <Link href={countedCallsPath(view, { server: row.server, tool: row.tool })}>
                  <Count value={row.calls} />
                </Link>
              </td>
              <td className="end">{formatCallRate(row.callsPerMinute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ListFooter
        chart={{ id: 'tools-by-calls', title: 'Calls per tool', range }}
        table={toToolStatsTable(byCalls)}
        moreLink={
          rows.length > MAX_LIST_ROWS ? <Link href={toolsPath(view)}>All {rows.length} tools</Link> : null
        }
      />
    </>
  );
}

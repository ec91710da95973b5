// How often each tool is called.
import type { ToolRow } from '../../../../src/contract/tools.ts';
import { formatCallRate, prepareCallRate } from '../../charts/prepare-call-rate.ts';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countColumn } from '../../components/table-columns.tsx';
import { countedCallsPath, toolsPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import { TimeSeriesPanel, type ToolChartProps } from './time-series-panel.tsx';
import { MAX_LIST_ROWS, ToolList, toolNameColumn, toToolStatsTable } from './tool-list.tsx';

export function CallRatePanel({ view, tools, slots }: ToolChartProps) {
  return (
    <TimeSeriesPanel
      id="calls"
      title="Call rate per tool"
      label="Calls per tool over time, as a rate"
      metric="calls"
      prepare={prepareCallRate}
      emptyText="No tool was called in this range."
      {...{ view, tools, slots }}
    >
      {(highlight) => (
        <QueryBoundary
          result={tools}
          skeletonRows={6}
          empty={({ tools }) => (tools.length > 0 ? undefined : 'No calls to count.')}
        >
          {({ tools: rows, range }) => {
            const byCalls = [...rows].sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool));
            return (
              <ToolList
                label="Calls per tool"
                columns={[
                  toolNameColumn({ view, slots, rows }),
                  countColumn<ToolRow>(['calls', 'Calls'], ({ calls }) => calls, {
                    link: ({ server, tool }) => countedCallsPath(view, { server, tool }),
                  }),
                  {
                    id: 'rate',
                    header: 'Rate',
                    align: 'end',
                    cell: ({ callsPerMinute }) => formatCallRate(callsPerMinute),
                  },
                ]}
                rows={byCalls.slice(0, MAX_LIST_ROWS)}
                keyOf={toolKey}
                toolOf={(row) => row}
                highlight={highlight}
                chart={{ id: 'tools-by-calls', title: 'Calls per tool', range }}
                table={toToolStatsTable(byCalls)}
                more={
                  rows.length > MAX_LIST_ROWS
                    ? { path: toolsPath(view), text: `All ${rows.length} tools` }
                    : undefined
                }
              />
            );
          }}
        </QueryBoundary>
      )}
    </TimeSeriesPanel>
  );
}

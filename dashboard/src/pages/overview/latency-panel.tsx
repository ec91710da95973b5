// Latency by tool: one percentile over time, and p50 to p95 over the whole range as one bar per tool.
import { Link, useLocation } from 'wouter';
import type { ToolsResponse } from '../../../../src/contract/responses.ts';
import { useSeries } from '../../api/queries.ts';
import type { ColourSlots } from '../../charts/prepare-colour-slots.ts';
import { type LatencyBar, prepareLatency, prepareLatencyBars } from '../../charts/prepare-latency.ts';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { FewCallsBadge } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { OVERVIEW_PARAMETERS, overviewPath, toolPath, toolsPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import { usePageState, useSearchParam } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { MAX_LIST_ROWS, type ToolChartPanelProps } from './call-rate-panel.tsx';
import { ListFooter } from './list-footer.tsx';
import { type HighlightLine, TimeSeriesPanel } from './time-series-panel.tsx';
import { toPreviousLabel } from './to-previous-label.ts';
import { toToolStatsTable } from './tool-stats-table.tsx';

export function LatencyPanel({ view, tools, slots }: ToolChartPanelProps) {
  const percentile = usePageState(OVERVIEW_PARAMETERS).percentile ?? 'p95';
  const series = useSeries(view, percentile);
  return (
    <TimeSeriesPanel
      id="latency"
      title="p50 and p95 per tool"
      label={`${percentile} of the duration per tool over time`}
      series={series}
      prepare={(response, nowMs) =>
        prepareLatency(response, { slots, nowMs, previousLabel: toPreviousLabel(response, view) })
      }
      emptyText="No call in this range has a duration."
      actions={<PercentileSwitch percentile={percentile} view={view} />}
      renderTable={(point) => (
        <QueryBoundary
          result={tools}
          skeletonRows={6}
          empty={({ tools }) =>
            tools.some(({ p95Ms }) => p95Ms !== null) ? undefined : 'No durations to show.'
          }
        >
          {({ tools: rows, range }) => (
            <LatencyTable bars={prepareLatencyBars(rows)} {...{ range, view, slots, highlight: point }} />
          )}
        </QueryBoundary>
      )}
    />
  );
}

interface PercentileSwitchProps {
  readonly percentile: 'p50' | 'p95';
  readonly view: View;
}

function PercentileSwitch({ percentile, view }: PercentileSwitchProps) {
  const [, navigate] = useLocation();
  const tables = useSearchParam('tables');
  return (
    <fieldset className="segments small">
      <legend className="visually-hidden">Percentile over time</legend>
      {(['p50', 'p95'] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === percentile}
          onClick={() =>
            navigate(overviewPath(view, { tables, percentile: name === 'p50' ? name : undefined }), {
              replace: true,
            })
          }
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface LatencyTableProps {
  readonly bars: readonly LatencyBar[];
  readonly range: ToolsResponse['range'];
  readonly view: View;
  readonly slots: ColourSlots;
  readonly highlight: HighlightLine;
}

function LatencyTable({ bars, range, view, slots, highlight }: LatencyTableProps) {
  const rows = bars.map(({ row }) => row);
  return (
    <>
      <table className="rank latency" aria-label="p50 and p95 per tool">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" className="span-head" title="From p50 to p95, on a logarithmic axis">
              <span className="visually-hidden">From p50 to p95</span>
            </th>
            <th scope="col" className="end">
              p50
            </th>
            <th scope="col" className="end">
              p95
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, MAX_LIST_ROWS).map(({ row, start, end }) => (
            <tr
              key={toolKey(row)}
              onPointerEnter={() => highlight(toolKey(row))}
              onPointerLeave={() => highlight(undefined)}
              title={`n ${row.calls}`}
            >
              <td>
                <ToolName
                  row={row}
                  slot={slots.slotOf(toolKey(row))}
                  rows={rows}
                  path={toolPath(view, row)}
                />
              </td>
              <td className="span-cell">
                <LatencyRangeBar start={start} end={end} />
              </td>
              <td className={row.calls < MIN_RELIABLE_CALLS ? 'end few' : 'end'}>
                {formatDuration(row.p50Ms)}
              </td>
              <td className={row.calls < MIN_RELIABLE_CALLS ? 'end few' : 'end'}>
                <FewCallsBadge n={row.calls} /> {formatDuration(row.p95Ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ListFooter
        chart={{ id: 'tools-by-p95', title: 'p50 and p95 of the range', range }}
        table={toToolStatsTable(rows)}
        moreLink={
          bars.length > MAX_LIST_ROWS ? (
            <Link href={toolsPath(view, { sort: '-p95' })}>All {bars.length} tools</Link>
          ) : null
        }
      />
    </>
  );
}

/** A bar from p50 (open dot) to p95 (filled dot). */
function LatencyRangeBar({ start, end }: { readonly start: number; readonly end: number }) {
  return (
    <span className="span" aria-hidden="true">
      <i className="reach" style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }} />
      <i className="dot open" style={{ left: `${start * 100}%` }} />
      <i className="dot" style={{ left: `${end * 100}%` }} />
    </span>
  );
}

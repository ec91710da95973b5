// Latency by client and by result size.
import { Link } from 'wouter';
import type { ToolResponse } from '../../../../src/contract/tool.ts';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Count, FewCallsBadge, Share } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { countedCallsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { formatSizeRange, toLatencyTable } from './tool-latency-table.tsx';
import type { ToolPanelProps } from './tool-panel-props.ts';

type ByClient = ToolResponse['byClient'][number];
type BySize = ToolResponse['bySize'][number];
type LatencyRow = Pick<ByClient, 'calls' | 'p50Ms' | 'p95Ms'>;

export function ToolLatencyPanel({ response, view }: ToolPanelProps) {
  const own = toToolView(view, response);
  const sizes = response.bySize.filter(({ calls }) => calls > 0);
  const slowest = Math.max(...[...response.byClient, ...sizes].map(({ p95Ms }) => p95Ms ?? 0));
  if (response.calls === 0) return null;
  return (
    <ChartPanel
      id="waits"
      title="Who calls it, and who waits"
      of={{ server: response.server, tool: response.tool }}
      range={response.range}
      table={toLatencyTable(response)}
    >
      <div className="pair">
        <DataTable
          label="By client"
          columns={clientColumns(own, slowest)}
          rows={response.byClient}
          keyOf={({ client }) => client}
        />
        <DataTable
          label="By size of the result"
          columns={sizeColumns(slowest)}
          rows={sizes}
          keyOf={({ fromBytes }) => String(fromBytes)}
        />
      </div>
    </ChartPanel>
  );
}

function clientColumns(view: View, slowest: number): Column<ByClient>[] {
  return [
    {
      id: 'client',
      header: 'Client',
      cell: ({ client }) => client || <span className="muted">unknown</span>,
    },
    {
      id: 'calls',
      header: 'Calls',
      align: 'end',
      cell: ({ client, calls }) =>
        client ? (
          <Link href={countedCallsPath(view, { client })}>
            <Count value={calls} />
          </Link>
        ) : (
          <Count value={calls} />
        ),
    },
    { id: 'errors', header: 'Fails', align: 'end', cell: ({ errorRate }) => <Share share={errorRate} /> },
    ...timeColumns<ByClient>(slowest),
  ];
}

function sizeColumns(slowest: number): Column<BySize>[] {
  return [
    {
      id: 'size',
      header: 'Result',
      cell: formatSizeRange,
    },
    { id: 'calls', header: 'Calls', align: 'end', cell: ({ calls }) => <Count value={calls} /> },
    ...timeColumns<BySize>(slowest),
  ];
}

function timeColumns<T extends LatencyRow>(slowest: number): Column<T>[] {
  return [
    { id: 'p50', header: 'p50', align: 'end', priority: 2, cell: ({ p50Ms }) => formatDuration(p50Ms) },
    {
      id: 'p95',
      header: 'p95',
      align: 'end',
      cell: ({ calls, p95Ms }) => (
        <span className="timed">
          <FewCallsBadge n={calls} />
          <span className="meter" aria-hidden="true">
            <i style={{ width: `${slowest > 0 ? ((p95Ms ?? 0) / slowest) * 100 : 0}%` }} />
          </span>
          <span className={calls < MIN_RELIABLE_CALLS ? 'few' : undefined}>{formatDuration(p95Ms)}</span>
        </span>
      ),
    },
  ];
}

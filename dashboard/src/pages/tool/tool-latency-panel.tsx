// Who waits how long: latency by client and by the size of the result.
import { Link } from 'wouter';
import type { ToolAnswer } from '../../../../src/contract/tool.ts';
import { FEW_CALLS } from '../../charts/prepared-chart.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { DrawnPanel } from '../../components/drawn-panel.tsx';
import { Count, FewCalls, Share } from '../../components/figures.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { toCalls } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toOwnView } from './to-own-view.ts';
import { formatSize, toLatencyTable } from './tool-latency-table.tsx';
import type { ToolPartProps } from './tool-page.tsx';

type ByClient = ToolAnswer['byClient'][number];
type BySize = ToolAnswer['bySize'][number];
type Timed = Pick<ByClient, 'calls' | 'p50Ms' | 'p95Ms'>;

export function ToolLatencyPanel({ answer, view }: ToolPartProps) {
  const own = toOwnView(view, answer);
  const sizes = answer.bySize.filter(({ calls }) => calls > 0);
  const slowest = Math.max(...[...answer.byClient, ...sizes].map(({ p95Ms }) => p95Ms ?? 0));
  if (answer.calls === 0) return null;
  return (
    <DrawnPanel
      id="waits"
      title="Who calls it, and who waits"
      of={{ server: answer.server, tool: answer.tool }}
      range={answer.range}
      table={toLatencyTable(answer)}
    >
      <div className="pair">
        <DataTable
          label="By client"
          columns={clientColumns(own, slowest)}
          rows={answer.byClient}
          keyOf={({ client }) => client}
        />
        <DataTable
          label="By size of the result"
          columns={sizeColumns(slowest)}
          rows={sizes}
          keyOf={({ fromBytes }) => String(fromBytes)}
        />
      </div>
    </DrawnPanel>
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
          <Link href={toCalls(view, { client })}>
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
      cell: formatSize,
    },
    { id: 'calls', header: 'Calls', align: 'end', cell: ({ calls }) => <Count value={calls} /> },
    ...timeColumns<BySize>(slowest),
  ];
}

function timeColumns<T extends Timed>(slowest: number): Column<T>[] {
  return [
    { id: 'p50', header: 'p50', align: 'end', priority: 2, cell: ({ p50Ms }) => formatDuration(p50Ms) },
    {
      id: 'p95',
      header: 'p95',
      align: 'end',
      cell: ({ calls, p95Ms }) => (
        <span className="timed">
          <FewCalls n={calls} />
          <span className="meter" aria-hidden="true">
            <i style={{ width: `${slowest > 0 ? ((p95Ms ?? 0) / slowest) * 100 : 0}%` }} />
          </span>
          <span className={calls < FEW_CALLS ? 'few' : undefined}>{formatDuration(p95Ms)}</span>
        </span>
      ),
    },
  ];
}

// Calls by client and outcome; each number links to its calls. Agent faults and server faults are separate,
// because different people fix them.
import { Link } from 'wouter';
import type { ClientRow, ClientsResponse } from '../../../../src/contract/overview.ts';
import { useClients } from '../../api/overview-queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import type { ExportColumn, ExportTable } from '../../components/data-table.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FaultIcon } from '../../components/outcome-badge.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { toRawShare } from '../../components/table-columns.tsx';
import { Count, Share } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { formatDateTime } from '../../format/format-time.ts';
import { type CallsState, countedCallsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import type { View } from '../../view/view.ts';

export function ClientsPanel({ view }: { readonly view: View }) {
  const result = useClients(view);
  const zone = useZone();
  const { data } = result;
  const since = data?.counted && data.counted.fromMs > data.range.fromMs ? data.counted.fromMs : undefined;
  return (
    <ChartPanel
      id="clients"
      title="Clients by outcome"
      range={data?.range}
      table={data && toTable(view, data.clients)}
      isTable
      note={
        since === undefined
          ? undefined
          : `since ${formatDateTime(since, zone)}; before that no client is kept`
      }
    >
      <QueryBoundary result={result} skeletonRows={4} empty={findEmptyText}>
        {({ clients, rest }) => (
          <>
            <DataTable {...toTable(view, clients)} />
            {rest.clients > 0 ? (
              <p className="more muted">
                {formatPlural(rest.calls, 'call')} by {formatPlural(rest.clients, 'more client')}
              </p>
            ) : null}
          </>
        )}
      </QueryBoundary>
    </ChartPanel>
  );
}

function findEmptyText({ counted, clients }: ClientsResponse): string | undefined {
  if (clients.length > 0) return undefined;
  return counted === null
    ? 'Which client called is kept as long as single calls, and this range is older.'
    : 'No client called in this range.';
}

function toTable(view: View, clients: readonly ClientRow[]): ExportTable<ClientRow> {
  return {
    label: 'Clients by outcome',
    columns: toColumns(view, clients),
    rows: clients,
    keyOf: ({ client }) => client,
  };
}

function toColumns(view: View, clients: readonly ClientRow[]): ExportColumn<ClientRow>[] {
  const renderCount =
    (id: 'calls' | 'ok' | 'clientFaults' | 'serverFaults', state: CallsState) => (row: ClientRow) => (
      <CallCountLink row={row} value={row[id]} state={state} view={view} />
    );
  const neither: ExportColumn<ClientRow>[] = clients.some((row) => row.neither > 0)
    ? [
        {
          id: 'neither',
          header: 'Neither',
          title: 'Cancelled, abandoned, blocked, or handed over to a task',
          align: 'end',
          priority: 4,
          cell: (row) => <Count value={row.neither} />,
          raw: [['neither', ({ neither }) => neither]],
        },
      ]
    : [];
  return [
    {
      id: 'client',
      header: 'Client',
      cell: (row) => <ClientCell row={row} view={view} />,
      raw: [
        ['client', ({ client }) => client],
        ['versions', ({ versions }) => versions.join(' ')],
      ],
    },
    {
      id: 'calls',
      header: 'Calls',
      align: 'end',
      cell: renderCount('calls', {}),
      raw: [['calls', ({ calls }) => calls]],
    },
    {
      id: 'ok',
      header: 'OK',
      align: 'end',
      priority: 3,
      cell: renderCount('ok', { outcome: 'ok' }),
      raw: [['ok', ({ ok }) => ok]],
    },
    {
      id: 'client-fault',
      header: 'Agent’s fault',
      title: 'Errors that are the agent’s fault',
      align: 'end',
      priority: 2,
      cell: renderCount('clientFaults', { fault: 'client' }),
      raw: [['clientFaults', ({ clientFaults }) => clientFaults]],
    },
    {
      id: 'server-fault',
      header: 'Server’s fault',
      title: 'Errors that are the server’s fault',
      align: 'end',
      priority: 2,
      cell: renderCount('serverFaults', { fault: 'server' }),
      raw: [['serverFaults', ({ serverFaults }) => serverFaults]],
    },
    ...neither,
    {
      id: 'rate',
      header: 'Error rate',
      align: 'end',
      cell: ({ errorRate }) => <Share share={errorRate} withInterval />,
      raw: toRawShare('errorRate', ({ errorRate }) => errorRate),
    },
  ];
}

function ClientCell({ row, view }: { readonly row: ClientRow; readonly view: View }) {
  const { client, versions } = row;
  if (client === '') return <span className="muted">not named</span>;
  return (
    <>
      <Link href={countedCallsPath(view, { client })}>{client}</Link>{' '}
      <span className="muted" title={versions.join(', ')}>
        {versions.length > 2 ? `${versions.length} versions` : versions.join(', ')}
      </span>
    </>
  );
}

interface CallCountLinkProps {
  readonly row: ClientRow;
  readonly value: number;
  readonly state: CallsState;
  readonly view: View;
}

/** Calls without a client cannot be filtered for, so their counts have no link. */
function CallCountLink({ row, value, state, view }: CallCountLinkProps) {
  if (value === 0) return <span className="muted">0</span>;
  const count = <Count value={value} />;
  return (
    <>
      {state.fault === 'client' || state.fault === 'server' ? <FaultIcon fault={state.fault} /> : null}{' '}
      {row.client === '' ? (
        count
      ) : (
        <Link href={countedCallsPath(view, { client: row.client, ...state })}>{count}</Link>
      )}
    </>
  );
}

// Calls by client and outcome; each number links to its calls. Client errors and server errors are separate,
// because different people fix them.

import { Link } from 'wouter';
import type { ClientRow, ClientsResponse } from '../../../../src/contract/overview.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable, type ExportColumn, type ExportTable } from '../../components/data-table.tsx';
import { FaultIcon } from '../../components/outcome-badge.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countColumn, NoValue, shareColumn } from '../../components/table-columns.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { formatDateTime } from '../../format/format-time.ts';
import { type CallsState, clientsPath, countedCallsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import type { View } from '../../view/view.ts';

const TITLE = 'Clients by outcome';

interface ClientsPanelProps {
  readonly view: View;
  /** On the page that the link below the list leads to. */
  readonly isOnOwnPage?: boolean;
}

export function ClientsPanel({ view, isOnOwnPage = false }: ClientsPanelProps) {
  const result = useResource('clients', toQueryParams(view));
  const zone = useZone();
  const { data } = result;
  const since = data?.counted && data.counted.fromMs > data.range.fromMs ? data.counted.fromMs : undefined;
  const table = data && toTable(view, data.clients);
  return (
    <ChartPanel
      id="clients"
      title={TITLE}
      range={data?.range}
      table={table}
      isTable
      note={since && `since ${formatDateTime(since, zone)}; earlier client data expired`}
    >
      <QueryBoundary result={result} skeletonRows={4} empty={findEmptyText}>
        {({ clients, rest }) => (
          <>
            <DataTable {...toTable(view, clients)} />
            {isOnOwnPage ? null : (
              <p className="more">
                <Link href={clientsPath(view)}>Clients, users and protocols</Link>
              </p>
            )}
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
    ? 'Client data is kept as long as single calls, and this range is older.'
    : 'No client called in this range.';
}

function toTable(view: View, clients: readonly ClientRow[]): ExportTable<ClientRow> {
  return {
    label: TITLE,
    columns: toColumns(view, clients),
    rows: clients,
    keyOf: ({ client }) => client,
  };
}

function toColumns(view: View, clients: readonly ClientRow[]): ExportColumn<ClientRow>[] {
  // Calls without a client cannot be filtered for, so their counts have no link.
  const linkTo = (state: CallsState) => ({
    link: ({ client }: ClientRow) =>
      client === '' ? undefined : countedCallsPath(view, { client, ...state }),
  });
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
    countColumn(['calls', 'Calls'], ({ calls }) => calls, linkTo({})),
    countColumn(['ok', 'OK'], ({ ok }) => ok, { priority: 3, ...linkTo({ outcome: 'ok' }) }),
    withFaultIcon(
      'client',
      countColumn(['clientFaults', 'Client errors'], ({ clientFaults }) => clientFaults, {
        priority: 2,
        title: 'Errors that the agent has to fix',
        ...linkTo({ fault: 'client' }),
      }),
    ),
    withFaultIcon(
      'server',
      countColumn(['serverFaults', 'Server errors'], ({ serverFaults }) => serverFaults, {
        priority: 2,
        title: 'Errors that the server has to fix',
        ...linkTo({ fault: 'server' }),
      }),
    ),
    ...(clients.some(({ neither }) => neither > 0)
      ? [
          countColumn<ClientRow>(['neither', 'Other'], ({ neither }) => neither, {
            priority: 4,
            title: 'Cancelled, abandoned, blocked, or handed over to a task',
          }),
        ]
      : []),
    shareColumn(['errorRate', 'Error rate'], ({ errorRate }) => errorRate, { withInterval: true }),
  ];
}

function withFaultIcon(fault: 'client' | 'server', column: ExportColumn<ClientRow>): ExportColumn<ClientRow> {
  return {
    ...column,
    cell: (row) => (
      <>
        {row[`${fault}Faults`] > 0 ? <FaultIcon fault={fault} /> : null} {column.cell(row)}
      </>
    ),
  };
}

function ClientCell({ row: { client, versions }, view }: { readonly row: ClientRow; readonly view: View }) {
  if (client === '') return <NoValue text="unnamed" />;
  return (
    <>
      <Link href={countedCallsPath(view, { client })}>{client}</Link>{' '}
      <span className="muted" title={versions.join(', ')}>
        {versions.length > 2 ? `${versions.length} versions` : versions.join(', ')}
      </span>
    </>
  );
}

// Sessions that connected and called nothing: by client, and which clients keep restarting. A trace may be
// part of a run whose calls have other traces, so traces never count as restarts.
import { Link } from 'wouter';
import type { SessionCountsResponse, SessionsWithoutCalls } from '../../../../src/contract/session-counts.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatPlural } from '../../format/format-number.ts';
import { sessionsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { describeUncalledSessions } from './prepare-session-kinds.ts';

interface UncalledSessionsPanelProps {
  readonly counts: SessionCountsResponse;
  readonly view: View;
}

export function UncalledSessionsPanel({
  counts: { uncalled, uncalledBy },
  view,
}: UncalledSessionsPanelProps) {
  if (uncalled === 0) return null;
  return (
    <Panel title="Sessions without a tool call" note={formatPlural(uncalled, 'session')}>
      <DataTable
        label="Sessions without a tool call"
        columns={toColumns(view)}
        rows={uncalledBy}
        keyOf={({ server, client }) => `${server} ${client}`}
      />
    </Panel>
  );
}

function toColumns(view: View): Column<SessionsWithoutCalls>[] {
  return [
    {
      id: 'client',
      header: 'Client',
      cell: ({ server, client }) => (
        <Link href={sessionsPath({ ...view, server, ...(client && { client }) }, { maxCalls: '0' })}>
          {client || 'unknown'}
        </Link>
      ),
    },
    { id: 'server', header: 'Server', priority: 2, cell: ({ server }) => server },
    {
      id: 'sessions',
      header: 'Sessions',
      align: 'end',
      cell: ({ sessions }) => <Count value={sessions} />,
    },
    {
      id: 'did',
      header: 'Did',
      priority: 3,
      cell: (row) => <span className="muted">{describeUncalledSessions(row)}</span>,
    },
    { id: 'booting', header: 'Starting over', cell: (row) => <ReconnectingClient row={row} view={view} /> },
  ];
}

function ReconnectingClient({ row, view }: { readonly row: SessionsWithoutCalls; readonly view: View }) {
  const { server, client, booting, bootingFrom, bootingTo } = row;
  if (booting === 0 || bootingFrom === null || bootingTo === null) return <span className="muted">no</span>;
  const lasted = Date.parse(bootingTo) - Date.parse(bootingFrom);
  return (
    <Link
      className="booting"
      href={sessionsPath({ ...view, server, ...(client && { client }) }, { booting: 'true' })}
    >
      <Icon name="loop" label="keeps starting over" /> {formatPlural(booting, 'time')} in{' '}
      {formatDuration(lasted)}, last <Ago at={bootingTo} />
    </Link>
  );
}

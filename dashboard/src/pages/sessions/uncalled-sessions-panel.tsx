// Sessions that called nothing, by client, and which clients keep reconnecting. A trace may be part of a run whose
// calls have other traces, so traces never count as reconnecting.
import { Link } from 'wouter';
import type { SessionCountsResponse, SessionsWithoutCalls } from '../../../../src/contract/session-counts.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { countColumn, nameColumn, serverColumn } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
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
    nameColumn(['client', 'Client'], ({ client }) => client, {
      link: ({ server, client }) =>
        sessionsPath({ ...view, server, ...(client && { client }) }, { maxCalls: '0' }),
    }),
    serverColumn({ priority: 2 }),
    countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
    {
      id: 'did',
      header: 'Activity',
      priority: 3,
      cell: (row) => <span className="muted">{describeUncalledSessions(row)}</span>,
    },
    { id: 'booting', header: 'Reconnecting', cell: (row) => <ReconnectingClient row={row} view={view} /> },
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
      <Icon name="loop" label="keeps reconnecting" /> {formatPlural(booting, 'time')} in{' '}
      {formatDuration(lasted)}, last <Ago at={bootingTo} />
    </Link>
  );
}

// The sessions and the calls of a plan as tables. A call links to its place in its session.
import { Link } from 'wouter';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { PlanResponse } from '../../../../src/contract/plans.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import {
  countColumn,
  durationColumn,
  NoValue,
  nameColumn,
  serverColumn,
} from '../../components/table-columns.tsx';
import { Clock } from '../../components/values.tsx';
import { sessionPath } from '../../paths.ts';
import { toCallKey } from '../../view/call-key.ts';
import type { View } from '../../view/view.ts';
import { toCallName } from '../session/describe-session.ts';

type PlanSession = PlanResponse['sessions'][number];

interface PlanSessionsTableProps {
  readonly sessions: readonly PlanSession[];
  readonly view: View;
}

export function PlanSessionsTable({ sessions, view }: PlanSessionsTableProps) {
  const columns: Column<PlanSession>[] = [
    {
      id: 'session',
      header: 'Session',
      cell: (session) => <SessionLink session={session} view={view} />,
    },
    serverColumn(),
    nameColumn(['client', 'Client'], ({ client }) => client, { priority: 2 }),
    countColumn(['calls', 'Calls'], ({ calls }) => calls, { title: 'With this plan id' }),
  ];
  return (
    <DataTable
      label="Sessions of the plan"
      columns={columns}
      rows={sessions}
      keyOf={({ server, source, sessionId }) => `${server} ${source} ${sessionId}`}
    />
  );
}

interface PlanCallsTableProps {
  readonly calls: readonly CallRow[];
  readonly view: View;
}

export function PlanCallsTable({ calls, view }: PlanCallsTableProps) {
  return <DataTable label="Calls" columns={toCallColumns(view)} rows={calls} keyOf={toCallKey} />;
}

function toCallColumns(view: View): Column<CallRow>[] {
  return [
    { id: 'time', header: 'Time', cell: ({ startedAt }) => <Clock at={startedAt} /> },
    {
      id: 'call',
      header: 'Call',
      cell: (call) =>
        call.sessionId ? (
          <Link href={sessionPath(view, { id: call.sessionId, of: call.server, call: toCallKey(call) })}>
            {toCallName(call)}
          </Link>
        ) : (
          toCallName(call)
        ),
    },
    serverColumn({ priority: 2 }),
    { id: 'outcome', header: 'Outcome', cell: (call) => <OutcomeBadge call={call} /> },
    {
      id: 'session',
      header: 'Session',
      priority: 3,
      cell: (call) =>
        call.sessionId ? <SessionLink session={call} view={view} /> : <NoValue text="no session" />,
    },
    durationColumn(['duration', 'Duration'], ({ durationMs }) => durationMs),
  ];
}

// The sessions of one agent, and their calls with their place in time. A call links to its place in its session.
import { Link } from 'wouter';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { JoinedSession } from '../../../../src/contract/sessions.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import {
  agoColumn,
  countColumn,
  durationColumn,
  nameColumn,
  serverColumn,
  textColumn,
} from '../../components/table-columns.tsx';
import { Clock } from '../../components/values.tsx';
import { sessionPath } from '../../paths.ts';
import { toCallKey } from '../../view/call-key.ts';
import type { View } from '../../view/view.ts';
import { toCallName } from '../session/describe-session.ts';
import { prepareWaterfall, type WaterfallBar } from '../session/prepare-waterfall.ts';
import { SessionOutcomeBadge } from '../sessions/session-columns.tsx';
import { formatJoin } from './describe-agent.ts';

interface AgentSessionsTableProps {
  readonly sessions: readonly JoinedSession[];
  readonly view: View;
}

export function AgentSessionsTable({ sessions, view }: AgentSessionsTableProps) {
  const columns: Column<JoinedSession>[] = [
    textColumn(['server', 'Server'], ({ session }) => session.server),
    {
      id: 'session',
      header: 'Session',
      cell: ({ session }) => <SessionLink session={session} view={view} />,
    },
    nameColumn(['joined', 'Joined by'], formatJoin, { unknown: 'this session' }),
    nameColumn(['client', 'Client'], ({ session }) => session.client, { priority: 3 }),
    countColumn(['calls', 'Calls'], ({ session }) => session.calls, { priority: 2 }),
    countColumn(['errors', 'Errors'], ({ session }) => session.errors, { priority: 3 }),
    {
      id: 'outcome',
      header: 'Outcome',
      priority: 3,
      cell: ({ session }) => <SessionOutcomeBadge session={session} />,
    },
    agoColumn(['started', 'Started'], ({ session }) => session.startedAt, { priority: 2 }),
  ];
  return (
    <DataTable
      label="Sessions of the agent"
      columns={columns}
      rows={sessions}
      keyOf={({ session: { server, source, sessionId } }) => `${server} ${source} ${sessionId}`}
    />
  );
}

interface AgentCallsTableProps {
  readonly calls: readonly CallRow[];
  readonly view: View;
}

export function AgentCallsTable({ calls, view }: AgentCallsTableProps) {
  const bars = prepareWaterfall(calls, 'time');
  return <DataTable label="Timeline" columns={toCallColumns(view, bars)} rows={calls} keyOf={toCallKey} />;
}

function toCallColumns(view: View, bars: ReadonlyMap<string, WaterfallBar>): Column<CallRow>[] {
  return [
    { id: 'time', header: 'Time', priority: 2, cell: ({ startedAt }) => <Clock at={startedAt} /> },
    serverColumn(),
    {
      id: 'call',
      header: 'Call',
      cell: (call) => (
        <Link href={sessionPath(view, { id: call.sessionId, of: call.server, call: toCallKey(call) })}>
          {toCallName(call)}
        </Link>
      ),
    },
    {
      id: 'waterfall',
      header: 'Timeline',
      priority: 3,
      title: 'Position in time',
      cell: (call) => <TimelineBar call={call} bar={bars.get(toCallKey(call))} />,
    },
    { id: 'outcome', header: 'Outcome', cell: (call) => <OutcomeBadge call={call} /> },
    {
      id: 'session',
      header: 'Session',
      priority: 4,
      cell: (call) => <SessionLink session={call} view={view} />,
    },
    durationColumn(['duration', 'Duration'], ({ durationMs }) => durationMs, { priority: 2 }),
  ];
}

interface TimelineBarProps {
  readonly call: CallRow;
  readonly bar: WaterfallBar | undefined;
}

function TimelineBar({ call, bar = { from: 0, width: 0 } }: TimelineBarProps) {
  return (
    <span className="fall" aria-hidden="true">
      <i
        className={call.fault}
        style={{ insetInlineStart: `${bar.from * 100}%`, inlineSize: `${bar.width * 100}%` }}
      />
    </span>
  );
}

// The columns of a list of sessions; panels show some of them, the page all.
import { Link } from 'wouter';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import type { TimeRange } from '../../../../src/contract/time-range.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { FaultIcon, SessionSourceBadge } from '../../components/outcome-badge.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { sessionCallsPath, sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { describeSessionOutcome } from '../session/describe-session.ts';

type SessionColumn =
  | 'session'
  | 'source'
  | 'server'
  | 'client'
  | 'calls'
  | 'requests'
  | 'errors'
  | 'loops'
  | 'outcome'
  | 'tools'
  | 'duration'
  | 'started';

/**
 * @param range sessions that extend beyond it are marked
 * @returns the named columns, in the order of the names
 */
export function toSessionColumns(
  view: View,
  names: readonly SessionColumn[],
  range?: TimeRange,
): Column<SessionRow>[] {
  const all: Readonly<Record<SessionColumn, Omit<Column<SessionRow>, 'id'>>> = {
    session: {
      header: 'Session',
      cell: ({ sessionId, server }) => (
        <span className="id">
          <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
            <code>{truncateMiddle(sessionId)}</code>
          </Link>
          <CopyButton text={sessionId} what="session id" />
        </span>
      ),
    },
    ...BASE_COLUMNS,
    calls: { ...BASE_COLUMNS.calls, cell: (session) => <CallsCell session={session} view={view} /> },
    requests: {
      ...BASE_COLUMNS.requests,
      cell: (session) => (
        <Link href={sessionCallsPath(view, session)}>
          <Count value={session.requests} />
        </Link>
      ),
    },
    errors: { ...BASE_COLUMNS.errors, cell: (session) => <ErrorsCell session={session} view={view} /> },
    duration: {
      ...BASE_COLUMNS.duration,
      cell: (session) => <DurationCell session={session} range={range} />,
    },
  };
  return names.map((id) => ({ id, ...all[id] }));
}

interface SessionCellProps {
  readonly session: SessionRow;
  readonly view: View;
}

function CallsCell({ session, view }: SessionCellProps) {
  const { calls, loops } = session;
  return (
    <>
      {loops > 0 ? (
        <span className="in-loop" title={`${loops} loops`}>
          <Icon name="loop" label="looping" />
        </span>
      ) : null}{' '}
      <Link href={sessionCallsPath(view, session, { counted: 'true' })}>
        <Count value={calls} />
      </Link>
    </>
  );
}

function ErrorsCell({ session, view }: SessionCellProps) {
  if (session.errors === 0) return <span className="muted">0</span>;
  return (
    <Link href={sessionCallsPath(view, session, { counted: 'true', errors: 'true' })}>
      <Count value={session.errors} />
    </Link>
  );
}

interface DurationCellProps {
  readonly session: SessionRow;
  readonly range: TimeRange | undefined;
}

function DurationCell({ session: { startedAt, endedAt }, range }: DurationCellProps) {
  const [from, to] = [Date.parse(startedAt), Date.parse(endedAt)];
  const lasted = formatDuration(to - from);
  if (!range || (from >= range.fromMs && to < range.toMs)) return lasted;
  return (
    <span className="cut" title="It goes beyond the range, and is counted whole">
      {from < range.fromMs ? '← ' : ''}
      {lasted}
      {to >= range.toMs ? ' →' : ''}
    </span>
  );
}

const BASE_COLUMNS: Readonly<Record<Exclude<SessionColumn, 'session'>, Omit<Column<SessionRow>, 'id'>>> = {
  source: {
    header: 'Known by',
    priority: 4,
    title: 'Where the session id came from, and how far it can be trusted to be one agent run',
    cell: (session) => <SessionSourceBadge session={session} />,
  },
  server: { header: 'Server', priority: 3, cell: ({ server }) => server },
  client: {
    header: 'Client',
    priority: 2,
    cell: ({ client }) => client || <span className="muted">unknown</span>,
  },
  calls: {
    header: 'Calls',
    align: 'end',
    title: 'tools/call, over the whole session',
    cell: ({ calls }) => <Count value={calls} />,
  },
  requests: {
    header: 'Requests',
    align: 'end',
    priority: 4,
    title: 'Every request, over the whole session',
    cell: ({ requests }) => <Count value={requests} />,
  },
  errors: {
    header: 'Errors',
    align: 'end',
    cell: ({ errors }) => <Count value={errors} />,
  },
  loops: {
    header: 'Loops',
    align: 'end',
    priority: 4,
    cell: ({ loops }) => (loops === 0 ? <span className="muted">0</span> : <Count value={loops} />),
  },
  outcome: {
    header: 'Outcome',
    priority: 2,
    title: 'How it came out: the fault of its newest call, and whether any call did not fail',
    cell: (session) => <SessionOutcomeBadge session={session} />,
  },
  tools: {
    header: 'Tools',
    priority: 4,
    cell: ({ tools }) => (
      <span className="list" title={tools.join(', ')}>
        {tools.join(', ')}
      </span>
    ),
  },
  duration: {
    header: 'Lasted',
    align: 'end',
    priority: 3,
    cell: ({ startedAt, endedAt }) => formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
  },
  started: { header: 'Began', align: 'end', cell: ({ startedAt }) => <Ago at={startedAt} /> },
};

/** The icon of the fault with a description of the outcome. */
export function SessionOutcomeBadge({ session }: { readonly session: SessionRow }) {
  const { tone, text } = describeSessionOutcome(session);
  return (
    <span className="outcome">
      {tone === 'muted' ? null : <FaultIcon fault={tone} />}
      <span className={tone === 'none' || tone === 'muted' ? 'muted' : undefined}>{text}</span>
    </span>
  );
}

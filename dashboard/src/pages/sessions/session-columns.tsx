// The columns of a list of sessions; panels show some of them, the page all.
import type { ReactNode } from 'react';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import type { TimeRange } from '../../../../src/contract/time-range.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { FaultIcon, SessionSourceBadge } from '../../components/outcome-badge.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { agoColumn, countColumn, nameColumn, serverColumn } from '../../components/table-columns.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { sessionCallsPath } from '../../paths.ts';
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

/** @param range sessions that extend beyond it are marked */
export function toSessionColumns(
  view: View,
  names: readonly SessionColumn[],
  range?: TimeRange,
): Column<SessionRow>[] {
  const calls = countColumn<SessionRow>(['calls', 'Calls'], (row) => row.calls, {
    title: 'tools/call, over the whole session',
    link: (row) => sessionCallsPath(view, row, { counted: 'true' }),
  });
  const columns: Readonly<Record<SessionColumn, Column<SessionRow>>> = {
    session: {
      id: 'session',
      header: 'Session',
      cell: (session) => (
        <span className="id">
          <SessionLink session={session} view={view} />
          <CopyButton text={session.sessionId} what="session id" />
        </span>
      ),
    },
    source: {
      id: 'source',
      header: 'ID source',
      priority: 4,
      title: 'Where the session id comes from, and how reliably it identifies one agent run',
      cell: (session) => <SessionSourceBadge session={session} />,
    },
    server: serverColumn({ priority: 3 }),
    client: nameColumn(['client', 'Client'], ({ client }) => client, { priority: 2 }),
    calls: { ...calls, cell: (row) => withLoopIcon(row, calls.cell(row)) },
    requests: countColumn(['requests', 'Requests'], ({ requests }) => requests, {
      priority: 4,
      title: 'Every request, over the whole session',
      link: (row) => sessionCallsPath(view, row),
    }),
    errors: countColumn(['errors', 'Errors'], ({ errors }) => errors, {
      link: (row) => sessionCallsPath(view, row, { counted: 'true', errors: 'true' }),
    }),
    loops: countColumn(['loops', 'Loops'], ({ loops }) => loops, { priority: 4 }),
    outcome: {
      id: 'outcome',
      header: 'Outcome',
      priority: 2,
      title: 'The fault of the newest call, or whether any call failed',
      cell: (session) => <SessionOutcomeBadge session={session} />,
    },
    tools: {
      id: 'tools',
      header: 'Tools',
      priority: 4,
      cell: ({ tools }) => (
        <span className="list" title={tools.join(', ')}>
          {tools.join(', ')}
        </span>
      ),
    },
    duration: {
      id: 'duration',
      header: 'Duration',
      align: 'end',
      priority: 3,
      cell: (session) => <DurationCell session={session} range={range} />,
    },
    started: agoColumn(['started', 'Started'], ({ startedAt }) => startedAt),
  };
  return names.map((name) => columns[name]);
}

function withLoopIcon({ loops }: SessionRow, count: ReactNode): ReactNode {
  if (loops === 0) return count;
  return (
    <>
      <span className="in-loop" title={`${loops} loops`}>
        <Icon name="loop" label="looping" />
      </span>{' '}
      {count}
    </>
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
    <span className="cut" title="Extends beyond the range; counted in full">
      {from < range.fromMs ? '← ' : ''}
      {lasted}
      {to >= range.toMs ? ' →' : ''}
    </span>
  );
}

export function SessionOutcomeBadge({ session }: { readonly session: SessionRow }) {
  const { tone, text } = describeSessionOutcome(session);
  return (
    <span className="outcome">
      {tone === 'muted' ? null : <FaultIcon fault={tone} />}
      <span className={tone === 'none' || tone === 'muted' ? 'muted' : undefined}>{text}</span>
    </span>
  );
}

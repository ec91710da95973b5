// The columns of a list of sessions; a panel shows some of them, the page all.
import { Link } from 'wouter';
import type { SessionRow } from '../../../src/contract/answers.ts';
import { CopyButton } from '../components/copy-button.tsx';
import type { Column } from '../components/data-table.tsx';
import { Ago, Count } from '../components/figures.tsx';
import { Icon } from '../components/icon.tsx';
import { SourceMark } from '../components/outcome.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { shortenMiddle } from '../format/format-id.ts';
import { sessionPath } from '../paths.ts';
import type { View } from '../view/view.ts';

type SessionColumn =
  | 'session'
  | 'source'
  | 'server'
  | 'client'
  | 'calls'
  | 'requests'
  | 'errors'
  | 'tools'
  | 'duration'
  | 'started';

/** The named columns, in the order of the names. */
export function sessionColumns(view: View, names: readonly SessionColumn[]): Column<SessionRow>[] {
  const all: Readonly<Record<SessionColumn, Omit<Column<SessionRow>, 'id'>>> = {
    session: {
      header: 'Session',
      cell: ({ sessionId, server }) => (
        <span className="id">
          <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
            <code>{shortenMiddle(sessionId)}</code>
          </Link>
          <CopyButton text={sessionId} what="session id" />
        </span>
      ),
    },
    ...FIGURES,
  };
  return names.map((id) => ({ id, ...all[id] }));
}

const FIGURES: Readonly<Record<Exclude<SessionColumn, 'session'>, Omit<Column<SessionRow>, 'id'>>> = {
  source: {
    header: 'Known by',
    priority: 3,
    title: 'Where the session id came from, and how far it can be trusted to be one agent run',
    cell: (session) => <SourceMark session={session} />,
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
    cell: ({ calls, loops }) => (
      <>
        {loops > 0 ? (
          <span className="loop-mark" title={`${loops} loops`}>
            <Icon name="loop" label="looping" />
          </span>
        ) : null}{' '}
        <Count value={calls} />
      </>
    ),
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
    cell: ({ errors }) => (errors === 0 ? <span className="muted">0</span> : <Count value={errors} />),
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

// The columns of the list of calls.
import { Link } from 'wouter';
import type { CallRow } from '../../../../src/contract/calls.ts';
import { toCallKey } from '../../api/prepare-tail.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { Ago } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toCallName } from '../session/describe-session.ts';

interface CallColumnsInput {
  readonly view: View;
  readonly onToggle: (call: CallRow) => void;
  readonly expandedKey: string | undefined;
}

export function toCallColumns({ view, onToggle, expandedKey }: CallColumnsInput): Column<CallRow>[] {
  return [
    { id: 'when', header: 'When', cell: ({ startedAt }) => <Ago at={startedAt} /> },
    {
      id: 'call',
      header: 'Call',
      cell: (call) => (
        <button
          type="button"
          className="fold"
          aria-expanded={toCallKey(call) === expandedKey}
          onClick={() => onToggle(call)}
        >
          <Icon name="right" />
          <span className={call.tool ? 'name' : 'name muted'}>{toCallName(call)}</span>
        </button>
      ),
    },
    { id: 'outcome', header: 'Outcome', cell: (call) => <OutcomeBadge call={call} /> },
    { id: 'took', header: 'Took', align: 'end', cell: ({ durationMs }) => formatDuration(durationMs) },
    { id: 'server', header: 'Server', priority: 3, cell: ({ server }) => server },
    {
      id: 'client',
      header: 'Client',
      priority: 4,
      cell: ({ client }) => client || <span className="muted">unknown</span>,
    },
    {
      id: 'session',
      header: 'Session',
      priority: 3,
      cell: ({ sessionId, server }) =>
        sessionId ? (
          <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
            <code>{truncateMiddle(sessionId)}</code>
          </Link>
        ) : (
          <span className="muted">no session</span>
        ),
    },
    {
      id: 'sizes',
      header: 'In, out',
      align: 'end',
      priority: 4,
      title: 'Sizes of the arguments and of the result',
      cell: ({ argumentsBytes, resultBytes }) => (
        <span className="muted">
          {formatBytes(argumentsBytes)}, {formatBytes(resultBytes)}
        </span>
      ),
    },
  ];
}

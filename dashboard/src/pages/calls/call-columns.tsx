import type { CallRow } from '../../../../src/contract/calls.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { NoValue, nameColumn, serverColumn } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { toCallKey } from '../../view/call-key.ts';
import type { View } from '../../view/view.ts';
import { toCallName } from '../session/describe-session.ts';

interface CallColumnsInput {
  readonly view: View;
  readonly onToggle: (call: CallRow) => void;
  readonly expandedKey: string | undefined;
}

export function toCallColumns({ view, onToggle, expandedKey }: CallColumnsInput): Column<CallRow>[] {
  return [
    { id: 'when', header: 'Time', cell: ({ startedAt }) => <Ago at={startedAt} /> },
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
    { id: 'took', header: 'Duration', align: 'end', cell: ({ durationMs }) => formatDuration(durationMs) },
    serverColumn({ priority: 3 }),
    nameColumn(['client', 'Client'], ({ client }) => client, { priority: 4 }),
    {
      id: 'session',
      header: 'Session',
      priority: 3,
      cell: ({ sessionId, server }) =>
        sessionId ? (
          <SessionLink session={{ sessionId, server }} view={view} />
        ) : (
          <NoValue text="no session" />
        ),
    },
    {
      id: 'sizes',
      header: 'Request / response',
      align: 'end',
      priority: 4,
      title: 'Size of the arguments and of the result',
      cell: ({ argumentsBytes, resultBytes }) => (
        <span className="muted">
          {formatBytes(argumentsBytes)} / {formatBytes(resultBytes)}
        </span>
      ),
    },
  ];
}

// The columns of the list of calls, of which the reader chooses.
import type { ReactNode } from 'react';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { NoValue } from '../../components/table-columns.tsx';
import { Ago, Clock } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { toCallKey } from '../../view/call-key.ts';
import { toCallName } from '../session/describe-session.ts';
import { type CellMenuHandle, MenuCell } from './cell-menu.tsx';
import {
  type CallsScope,
  type CellChoice,
  type ColumnFilter,
  listCellChoices,
  listDurationChoices,
} from './column-filter.ts';

interface CallColumnsInput extends CallsScope {
  readonly onToggle: (call: CallRow) => void;
  /** Absent where a cell has no menu. */
  readonly openMenu?: CellMenuHandle['open'];
}

type CallColumn = Column<CallRow>;

export function toCallColumns(input: CallColumnsInput): CallColumn[] {
  const { view, state, onToggle } = input;
  return [
    { id: 'when', header: 'Time', cell: ({ startedAt }) => <CallTime at={startedAt} /> },
    {
      id: 'call',
      header: 'Call',
      cell: (call) =>
        withMenu(
          <button
            type="button"
            className="fold"
            aria-expanded={toCallKey(call) === state.call}
            onClick={() => onToggle(call)}
          >
            <Icon name="right" />
            <span className={call.tool ? 'name' : 'name muted'}>{toCallName(call)}</span>
          </button>,
          call.tool ? toFilterMenu(input, ['tool', call.tool]) : toFilterMenu(input, ['method', call.method]),
          input,
        ),
    },
    {
      id: 'outcome',
      header: 'Outcome',
      cell: (call) =>
        withMenu(
          <OutcomeBadge call={call} />,
          call.code
            ? toFilterMenu(input, ['code', call.code])
            : toFilterMenu(input, ['outcome', call.outcome]),
          input,
        ),
    },
    {
      ...textColumn(input, ['message', 'Message'], ({ errorMessage }) => errorMessage, 'message'),
      priority: 4,
    },
    {
      id: 'arguments',
      header: 'Arguments',
      priority: 5,
      title: 'Shape of the arguments',
      cell: ({ argumentsShape }) =>
        argumentsShape ? (
          <code className="clipped" title={argumentsShape}>
            {argumentsShape}
          </code>
        ) : (
          <NoValue />
        ),
    },
    {
      id: 'took',
      header: 'Duration',
      align: 'end',
      cell: ({ durationMs }) =>
        withMenu(
          formatDuration(durationMs),
          { what: 'duration', listChoices: () => listDurationChoices(input, durationMs) },
          input,
        ),
    },
    { ...textColumn(input, ['server', 'Server'], ({ server }) => server, 'server'), priority: 3 },
    { ...textColumn(input, ['client', 'Client'], ({ client }) => client, 'client'), priority: 4 },
    {
      id: 'session',
      header: 'Session',
      priority: 3,
      cell: ({ sessionId, server }) =>
        sessionId ? (
          withMenu(
            <SessionLink session={{ sessionId, server }} view={view} />,
            toFilterMenu(input, ['session', sessionId]),
            input,
          )
        ) : (
          <NoValue text="no session" />
        ),
    },
    {
      id: 'sizes',
      header: 'Request / response',
      align: 'end',
      priority: 5,
      title: 'Size of the arguments and of the result',
      cell: ({ argumentsBytes, resultBytes }) => (
        <span className="muted">
          {formatBytes(argumentsBytes)} / {formatBytes(resultBytes)}
        </span>
      ),
    },
    textColumn(input, ['version', 'Version'], ({ serverVersion }) => serverVersion, 'version'),
    textColumn(input, ['environment', 'Environment'], ({ environment }) => environment, 'environment'),
    textColumn(input, ['method', 'Method'], ({ method }) => method, 'method'),
    textColumn(input, ['plan', 'Plan'], ({ planId }) => planId, 'plan'),
    textColumn(input, ['argument', 'Named argument'], ({ errorArgument }) => errorArgument, 'argument'),
    textColumn(input, ['protocol', 'Protocol'], ({ protocolVersion }) => protocolVersion, 'protocol'),
    textColumn(input, ['transport', 'Transport'], ({ transport }) => transport, 'transport'),
  ];
}

/** Shown unless the reader chose others. */
export const DEFAULT_CALL_COLUMNS: readonly string[] = [
  ...['when', 'call', 'outcome', 'message', 'took', 'server', 'client', 'session', 'sizes'],
];

/** Its button expands a row, so it is always shown. */
export const REQUIRED_CALL_COLUMN = 'call';

/** How long ago, and the time of day, which a narrow table has in the title only. */
function CallTime({ at }: { readonly at: string }) {
  return (
    <span className="call-time">
      <Ago at={at} /> <span className="muted p3">{<Clock at={at} />}</span>
    </span>
  );
}

function textColumn(
  input: CallColumnsInput,
  [id, header]: readonly [id: string, header: string],
  of: (call: CallRow) => string,
  name: ColumnFilter,
): CallColumn {
  return {
    id,
    header,
    cell: (call) => {
      const text = of(call);
      if (text === '') return <NoValue />;
      const content = (
        <span className="clipped" title={text}>
          {text}
        </span>
      );
      return withMenu(content, toFilterMenu(input, [name, text]), input);
    },
  };
}

/** Long values are not repeated in the name of the menu. */
const LONG_VALUES: readonly ColumnFilter[] = ['message', 'session', 'plan'];

function toFilterMenu(scope: CallsScope, [name, value]: readonly [ColumnFilter, string]): CellMenuInput {
  return {
    what: LONG_VALUES.includes(name) ? name : `${name} ${value}`,
    listChoices: () => listCellChoices(scope, [name, value]),
  };
}

interface CellMenuInput {
  /** What the menu filters by. */
  readonly what: string;
  readonly listChoices: () => readonly CellChoice[];
}

function withMenu(
  content: ReactNode,
  { what, listChoices }: CellMenuInput,
  { openMenu }: CallColumnsInput,
): ReactNode {
  if (openMenu === undefined) return content;
  return (
    <MenuCell what={what} onOpen={(button) => openMenu(button, listChoices())}>
      {content}
    </MenuCell>
  );
}

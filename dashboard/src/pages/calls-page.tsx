// The rows behind every number, newest first. A row folds open, and the address says which.
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { CallRow } from '../../../src/contract/answers.ts';
import { OUTCOMES } from '../../../src/core/model/outcome.ts';
import { useCalls } from '../api/questions.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Ago } from '../components/figures.tsx';
import { Icon } from '../components/icon.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Nothing } from '../components/nothing.tsx';
import { formatOutcome, OutcomeMark } from '../components/outcome.tsx';
import { Shell } from '../components/shell.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { shortenMiddle } from '../format/format-id.ts';
import { formatBytes, formatCount } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import {
  CALLS_FILTERS,
  type CallsFilter,
  type CallsState,
  callsPath,
  isAsked,
  sessionPath,
} from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useCallsState } from '../view/use-calls-state.ts';
import { useHoldWhileReading } from '../view/use-hold-while-reading.ts';
import { useNow } from '../view/use-now.ts';
import { useView } from '../view/use-view.ts';
import { activeFilters, type View } from '../view/view.ts';
import { CallDetail } from './call-detail.tsx';
import { CallsExport } from './calls-export.tsx';
import { nameOf } from './format-session.ts';
import { METHODS } from './mcp-methods.ts';

export function CallsPage() {
  const view = useView();
  const state = useCallsState();
  const asked = useCalls(view, state);
  useHoldWhileReading();
  const [, navigate] = useLocation();
  const set = (change: CallsState): void => navigate(callsPath(view, { ...state, ...change }));
  const open = (call: CallRow): void => set({ call: keyOf(call) === state.call ? undefined : keyOf(call) });
  return (
    <div className="page">
      <h1 className="visually-hidden">Calls</h1>
      <CallFilters state={state} set={set} view={view} />
      <Shell
        asked={asked}
        rows={12}
        empty={({ pages }) =>
          (pages[0]?.calls.length ?? 0) > 0 ? undefined : <EmptySentence view={view} state={state} />
        }
      >
        {({ pages }) => {
          const calls = pages.flatMap((page) => page.calls);
          return (
            <>
              <DataTable
                label="Calls, newest first"
                columns={toColumns({ view, open, opened: state.call })}
                rows={calls}
                keyOf={keyOf}
                detail={(call) => (keyOf(call) === state.call ? <CallDetail call={call} /> : undefined)}
              />
              <MoreButton
                shown={`${formatCount(calls.length)}${asked.hasNextPage ? ' newest' : ''}`}
                hasMore={asked.hasNextPage}
                isLoading={asked.isFetchingNextPage}
                onMore={asked.fetchNextPage}
              />
            </>
          );
        }}
      </Shell>
    </div>
  );
}

function keyOf({ traceId, spanId }: CallRow): string {
  return `${traceId}.${spanId}`;
}

interface CallFiltersProps {
  readonly state: CallsState;
  readonly set: (change: CallsState) => void;
  readonly view: View;
}

function CallFilters({ state, set, view }: CallFiltersProps) {
  return (
    <div className="toolbar">
      <fieldset className="segments">
        <legend className="visually-hidden">Which calls</legend>
        <button type="button" aria-pressed={!state.counted} onClick={() => set({ counted: undefined })}>
          Every request
        </button>
        <button
          type="button"
          aria-pressed={state.counted === 'true'}
          title="What every figure counts: tool calls that were answered for good"
          onClick={() => set({ counted: 'true' })}
        >
          Tool calls
        </button>
      </fieldset>
      <fieldset className="segments">
        <legend className="visually-hidden">How they ended</legend>
        <button type="button" aria-pressed={!state.errors} onClick={() => set({ errors: undefined })}>
          All
        </button>
        <button type="button" aria-pressed={state.errors === 'true'} onClick={() => set({ errors: 'true' })}>
          Errors only
        </button>
      </fieldset>
      <Select
        label="Method"
        any="Any method"
        value={state.method}
        choices={METHODS}
        onChoose={(method) => set({ method })}
      />
      <Select
        label="Outcome"
        any="Any outcome"
        value={state.outcome}
        choices={OUTCOMES}
        onChoose={(outcome) => set({ outcome })}
      />
      {isAsked('code', state.code) ? null : <CodeFilter onChoose={(code) => set({ code })} />}
      {chipsOf(state).map(([name, value]) => (
        <Chip
          key={name}
          name={CHIPS[name] ?? name}
          value={name === 'session' ? shortenMiddle(value) : value || 'none'}
          onRemove={() => set({ [name]: undefined })}
        />
      ))}
      <CallsExport view={view} state={state} />
    </div>
  );
}

/** What each filter that has no control of its own is called. */
const CHIPS: Partial<Record<CallsFilter, string>> = {
  fault: 'Fault',
  code: 'Code',
  message: 'Message',
  argument: 'Argument',
  session: 'Session',
  protocol: 'Protocol',
  transport: 'Transport',
  minMs: 'Took at least, ms',
  maxMs: 'Took at most, ms',
};

function chipsOf(state: CallsState): [CallsFilter, string][] {
  return CALLS_FILTERS.flatMap((name): [CallsFilter, string][] => {
    const value = state[name];
    return CHIPS[name] && isAsked(name, value) ? [[name, value]] : [];
  });
}

/** Codes are the servers' own, so they are typed rather than chosen. */
function CodeFilter({ onChoose }: { readonly onChoose: (code: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <form
      className="code-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim()) onChoose(code.trim());
      }}
    >
      <input
        aria-label="Code"
        placeholder="Any code"
        value={code}
        maxLength={64}
        spellCheck={false}
        onChange={(event) => setCode(event.target.value)}
      />
    </form>
  );
}

interface SelectProps {
  readonly label: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly onChoose: (value: string | undefined) => void;
}

function Select({ label, any, value, choices, onChoose }: SelectProps) {
  return (
    <label className="select" data-set={value ? true : undefined}>
      <span className="visually-hidden">{label}</span>
      <select value={value ?? ''} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {formatOutcome(choice)}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

interface ChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

function Chip({ name, value, onRemove }: ChipProps) {
  return (
    <button
      type="button"
      className="button chip"
      onClick={onRemove}
      aria-label={`Remove filter ${name} ${value}`}
    >
      {name} <code>{value}</code> <Icon name="close" />
    </button>
  );
}

interface ColumnsInput {
  readonly view: View;
  readonly open: (call: CallRow) => void;
  readonly opened: string | undefined;
}

function toColumns({ view, open, opened }: ColumnsInput): Column<CallRow>[] {
  return [
    { id: 'when', header: 'When', cell: ({ startedAt }) => <Ago at={startedAt} /> },
    {
      id: 'call',
      header: 'Call',
      cell: (call) => (
        <button
          type="button"
          className="fold"
          aria-expanded={keyOf(call) === opened}
          onClick={() => open(call)}
        >
          <Icon name="right" />
          <span className={call.tool ? 'name' : 'name muted'}>{nameOf(call)}</span>
        </button>
      ),
    },
    { id: 'outcome', header: 'Outcome', cell: (call) => <OutcomeMark call={call} /> },
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
            <code>{shortenMiddle(sessionId)}</code>
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

function EmptySentence({ view, state }: { readonly view: View; readonly state: CallsState }) {
  const zone = useZone();
  const nowMs = useNow(60_000);
  const own = [
    ...activeFilters(view),
    ...CALLS_FILTERS.flatMap((name): [string, string][] => {
      const value = state[name];
      return name !== 'counted' && name !== 'errors' && isAsked(name, value) ? [[name, value || 'none']] : [];
    }),
  ];
  const filters = own.map(([name, value]) => `${name} ${value}`).join(', ');
  return (
    <Nothing view={view} unfiltered={callsPath(view)}>
      <p>
        No {state.errors === 'true' ? 'failed call' : 'call'}
        {filters ? ` with ${filters}` : ''} {formatRange(view, { nowMs, zone })}.
      </p>
    </Nothing>
  );
}

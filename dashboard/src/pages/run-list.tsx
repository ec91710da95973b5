// The calls of a session in order. A run of identical calls is one row that folds open; a folded run still says how
// often, how long, and whether the results differed.
import { useState } from 'react';
import type { CallRow, SessionRow } from '../../../src/contract/answers.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Icon } from '../components/icon.tsx';
import { OutcomeMark } from '../components/outcome.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatBytes, formatCount } from '../format/format-number.ts';
import { formatClock, formatExactTime, type Zone } from '../format/format-time.ts';
import { useZone } from '../view/preferences.ts';
import { CallDetail } from './call-detail.tsx';
import { nameOf } from './format-session.ts';
import { type Run, spanOf } from './prepare-runs.ts';

/** One row: a call, or a folded run that is led by its first call. */
interface Line {
  readonly key: string;
  /** Position of its first call, from 1. */
  readonly at: number;
  readonly call: CallRow;
  readonly run: Run;
  readonly role: 'single' | 'head' | 'inner';
}

interface RunListProps {
  readonly runs: readonly Run[];
  readonly session: SessionRow;
}

export function RunList({ runs, session }: RunListProps) {
  const zone = useZone();
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [detailed, setDetailed] = useState<string>();
  const lines = toLines(runs, unfolded);
  const startMs = Date.parse(session.startedAt);
  function toggle(line: Line): void {
    if (line.role === 'head') setUnfolded((known) => toggled(known, line.key));
    else setDetailed((key) => (key === line.key ? undefined : line.key));
  }
  return (
    <DataTable
      label="Calls in order"
      columns={toColumns({
        zone,
        startMs,
        toggle,
        isOpen: ({ key }) => unfolded.has(key) || detailed === key,
      })}
      rows={lines}
      keyOf={({ key }) => key}
      detail={(line) => (line.key === detailed ? <CallDetail call={line.call} /> : undefined)}
    />
  );
}

function toggled(known: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(known);
  if (!next.delete(key)) next.add(key);
  return next;
}

function toLines(runs: readonly Run[], unfolded: ReadonlySet<string>): Line[] {
  let at = 1;
  return runs.flatMap((run) => {
    const first = at;
    at += run.calls.length;
    const [call] = run.calls;
    if (!call) return [];
    const isRun = run.calls.length > 1;
    const head: Line = {
      key: `${isRun ? 'run ' : ''}${keyOf(call)}`,
      at: first,
      call,
      run,
      role: isRun ? 'head' : 'single',
    };
    if (!isRun || !unfolded.has(head.key)) return [head];
    const inner = run.calls.map(
      (one, index): Line => ({ key: keyOf(one), at: first + index, call: one, run, role: 'inner' }),
    );
    return [head, ...inner];
  });
}

function keyOf({ traceId, spanId }: CallRow): string {
  return `${traceId}.${spanId}`;
}

interface ColumnsInput {
  readonly zone: Zone;
  readonly startMs: number;
  readonly toggle: (line: Line) => void;
  readonly isOpen: (line: Line) => boolean;
}

function toColumns({ zone, startMs, toggle, isOpen }: ColumnsInput): Column<Line>[] {
  return [
    {
      id: 'at',
      header: '#',
      align: 'end',
      priority: 2,
      cell: ({ at, run, role }) => (
        <span className="muted">
          {at}
          {role === 'head' ? `–${at + run.calls.length - 1}` : ''}
        </span>
      ),
    },
    {
      id: 'time',
      header: 'Time',
      priority: 3,
      cell: ({ call }) => (
        <time dateTime={call.startedAt} title={formatExactTime(Date.parse(call.startedAt), zone)}>
          {formatClock(Date.parse(call.startedAt), zone)}
        </time>
      ),
    },
    {
      id: 'since',
      header: 'After',
      align: 'end',
      priority: 4,
      title: 'Since the session began',
      cell: ({ call }) => (
        <span className="muted">{formatDuration(Date.parse(call.startedAt) - startMs)}</span>
      ),
    },
    {
      id: 'call',
      header: 'Call',
      cell: (line) => <CallName line={line} open={isOpen(line)} onToggle={() => toggle(line)} />,
    },
    { id: 'outcome', header: 'Outcome', cell: ({ call }) => <OutcomeMark call={call} /> },
    {
      id: 'duration',
      header: 'Took',
      align: 'end',
      title: 'The duration; for a run from its start to its end',
      cell: ({ call, run, role }) => formatDuration(role === 'head' ? spanOf(run.calls) : call.durationMs),
    },
    {
      id: 'size',
      header: 'Result',
      align: 'end',
      priority: 4,
      title: 'The size of the result',
      cell: ({ call, role }) =>
        role === 'head' ? null : <span className="muted">{formatBytes(call.resultBytes)}</span>,
    },
  ];
}

interface CallNameProps {
  readonly line: Line;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function CallName({ line: { call, run, role }, open, onToggle }: CallNameProps) {
  const names = role === 'head' ? run.calls.slice(0, run.period).map(nameOf).join(' → ') : nameOf(call);
  return (
    <span className={`call-name ${role}`}>
      <button type="button" className="fold" aria-expanded={open} onClick={onToggle}>
        <Icon name="right" />
        <span className={call.tool ? 'name' : 'name muted'}>{names}</span>
      </button>
      {role === 'head' ? <RunNote run={run} /> : null}
    </span>
  );
}

function RunNote({ run }: { readonly run: Run }) {
  return (
    <span className="run-note">
      <strong>×{formatCount(run.calls.length / run.period)}</strong>
      <span className="words"> same arguments, {run.sameResult ? 'same result' : 'results differ'}</span>
    </span>
  );
}

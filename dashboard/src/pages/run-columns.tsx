// The columns of a session's calls. A pause of the agent is a row with one sentence; a folded run says what its calls share.
import type { SessionRow } from '../../../src/contract/answers.ts';
import type { Column } from '../components/data-table.tsx';
import { Icon } from '../components/icon.tsx';
import { OutcomeMark } from '../components/outcome.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount } from '../format/format-number.ts';
import { formatClock, formatExactTime, type Zone } from '../format/format-time.ts';
import { Changes, SharedByRun } from './call-comparison.tsx';
import { nameOf } from './format-session.ts';
import { keyOf, type Repeat } from './prepare-comparison.ts';
import { formatPause } from './prepare-pauses.ts';
import { type Run, spanOf, tellResults } from './prepare-runs.ts';
import type { CallLine, Line } from './prepare-session-lines.ts';
import type { Span } from './prepare-spans.ts';

interface ColumnsInput {
  readonly zone: Zone;
  readonly session: SessionRow;
  readonly repeats: ReadonlyMap<string, Repeat>;
  readonly spans: ReadonlyMap<string, Span>;
  readonly open: (line: CallLine) => void;
  readonly isOpen: (line: CallLine) => boolean;
}

/** A cell of a call's row; a pause has none. */
function ofCall(cell: (line: CallLine) => React.ReactNode): (line: Line) => React.ReactNode {
  return (line) => (line.kind === 'pause' ? null : cell(line));
}

export function toRunColumns({ zone, session, repeats, spans, open, isOpen }: ColumnsInput): Column<Line>[] {
  const startMs = Date.parse(session.startedAt);
  return [
    {
      id: 'at',
      header: '#',
      align: 'end',
      priority: 2,
      title: 'Its number among the tool calls',
      cell: ofCall((line) => <span className="muted">{formatPlace(line)}</span>),
    },
    {
      id: 'time',
      header: 'Time',
      priority: 3,
      cell: ofCall(({ call: { startedAt } }) => (
        <time
          dateTime={startedAt}
          title={`${formatExactTime(Date.parse(startedAt), zone)}, ${formatDuration(Date.parse(startedAt) - startMs)} after the session began`}
        >
          {formatClock(Date.parse(startedAt), zone)}
        </time>
      )),
    },
    {
      id: 'pause',
      header: 'Pause',
      align: 'end',
      priority: 4,
      title: 'The agent’s own time before this call',
      cell: ofCall(({ pauseMs, longestPauseMs }) => (
        <span
          className="muted"
          title={longestPauseMs === undefined ? undefined : 'The longest within the run'}
        >
          {longestPauseMs === undefined
            ? pauseMs === undefined
              ? ''
              : formatDuration(pauseMs)
            : `≤ ${formatDuration(longestPauseMs)}`}
        </span>
      )),
    },
    {
      id: 'call',
      header: 'Call',
      cell: (line) =>
        line.kind === 'pause' ? (
          <span className="pause-line">{formatPause(line.pauseMs)}</span>
        ) : (
          <CallName line={line} open={isOpen(line)} onToggle={() => open(line)} />
        ),
    },
    {
      id: 'waterfall',
      header: 'Timeline',
      priority: 3,
      title: 'Where it stands in the session',
      cell: ofCall((line) => <Fall line={line} spans={spans} />),
    },
    { id: 'outcome', header: 'Outcome', cell: ofCall(({ call }) => <OutcomeMark call={call} />) },
    {
      id: 'changes',
      header: 'Since the last one',
      priority: 4,
      title: 'What it changed of the last call of the same tool, and whether the answer was another one',
      cell: ofCall((line) => <Changed line={line} repeats={repeats} />),
    },
    {
      id: 'duration',
      header: 'Took',
      align: 'end',
      title: 'The duration; for a run from its start to its end',
      cell: ofCall(({ call, run, kind }) =>
        formatDuration(kind === 'head' ? spanOf(run.calls) : call.durationMs),
      ),
    },
  ];
}

function formatPlace({ at, kind, run }: CallLine): string {
  if (at === undefined) return '';
  return kind === 'head' ? `${at}–${at + run.calls.length - 1}` : String(at);
}

function Changed({ line, repeats }: { readonly line: CallLine } & Pick<ColumnsInput, 'repeats'>) {
  if (line.kind === 'head') return <SharedByRun run={line.run} />;
  const repeat = repeats.get(line.key);
  return repeat ? <Changes comparison={repeat} /> : null;
}

/** A mark for every call of a folded run, and one for all others. */
function Fall({
  line: { kind, call, run },
  spans,
}: { readonly line: CallLine } & Pick<ColumnsInput, 'spans'>) {
  const calls = kind === 'head' ? run.calls : [call];
  return (
    <span className="fall" aria-hidden="true">
      {calls.map((one) => {
        const { from, width } = spans.get(keyOf(one)) ?? { from: 0, width: 0 };
        return (
          <i
            key={keyOf(one)}
            className={one.fault}
            style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${width * 100}%` }}
          />
        );
      })}
    </span>
  );
}

interface CallNameProps {
  readonly line: CallLine;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function CallName({ line: { call, run, kind, beginsLoop, loop }, open, onToggle }: CallNameProps) {
  const names = kind === 'head' ? run.calls.slice(0, run.period).map(nameOf).join(' → ') : nameOf(call);
  return (
    <span className={`call-name ${kind}`}>
      <button type="button" className="fold" aria-expanded={open} onClick={onToggle}>
        <Icon name="right" />
        <span className={call.tool ? 'name' : 'name muted'}>{names}</span>
      </button>
      {beginsLoop && kind !== 'inner' ? (
        <span className="loop-mark" title={loop?.sentence}>
          <Icon name="loop" label="a loop begins here" />
        </span>
      ) : null}
      {kind === 'head' ? <RunNote run={run} /> : null}
    </span>
  );
}

function RunNote({ run }: { readonly run: Run }) {
  return (
    <span className="run-note">
      <strong>×{formatCount(run.calls.length / run.period)}</strong>
      <span className="words"> same arguments, {tellResults(run)}</span>
    </span>
  );
}

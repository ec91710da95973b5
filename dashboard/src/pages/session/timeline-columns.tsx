// Pauses are rows with one sentence; folded runs show what their calls share.
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { OutcomeBadge } from '../../components/outcome-badge.tsx';
import { Clock } from '../../components/values.tsx';
import { RESULT_LABELS } from '../../format/describe-comparison.ts';
import { describeGuardVerdicts } from '../../format/describe-guard.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount } from '../../format/format-number.ts';
import { toCallKey } from '../../view/call-key.ts';
import { CallChanges, RunSameness } from './call-comparison.tsx';
import type { PreviousCallDifference } from './compare-calls.ts';
import { toCallName } from './describe-session.ts';
import { formatPause } from './prepare-pauses.ts';
import { type Run, toElapsedMs } from './prepare-runs.ts';
import type { TimelineCallRow, TimelineRow } from './prepare-timeline-rows.ts';
import type { WaterfallBar } from './prepare-waterfall.ts';

interface TimelineColumnsInput {
  readonly session: SessionRow;
  readonly differences: ReadonlyMap<string, PreviousCallDifference>;
  readonly bars: ReadonlyMap<string, WaterfallBar>;
  readonly onToggle: (line: TimelineCallRow) => void;
  readonly isOpen: (line: TimelineCallRow) => boolean;
}

/** Renders a cell of a call's row; pauses have none. */
function renderCallCell(
  cell: (line: TimelineCallRow) => React.ReactNode,
): (line: TimelineRow) => React.ReactNode {
  return (line) => (line.kind === 'pause' ? null : cell(line));
}

export function toTimelineColumns({
  session,
  differences,
  bars,
  onToggle,
  isOpen,
}: TimelineColumnsInput): Column<TimelineRow>[] {
  const startMs = Date.parse(session.startedAt);
  return [
    {
      id: 'at',
      header: '#',
      align: 'end',
      priority: 2,
      title: 'Number of the tool call',
      cell: renderCallCell((line) => <span className="muted">{formatPosition(line)}</span>),
    },
    {
      id: 'time',
      header: 'Time',
      priority: 3,
      cell: renderCallCell(({ call: { startedAt } }) => (
        <Clock
          at={startedAt}
          note={`, ${formatDuration(Date.parse(startedAt) - startMs)} after the session started`}
        />
      )),
    },
    {
      id: 'pause',
      header: 'Pause',
      align: 'end',
      priority: 4,
      title: 'Time between the previous call and this one',
      cell: renderCallCell(({ pauseMs, longestPauseMs }) => (
        <PauseCell pauseMs={pauseMs} longestPauseMs={longestPauseMs} />
      )),
    },
    {
      id: 'call',
      header: 'Call',
      cell: (line) =>
        line.kind === 'pause' ? (
          <span className="pause-line">{formatPause(line.pauseMs)}</span>
        ) : (
          <CallName line={line} open={isOpen(line)} onToggle={() => onToggle(line)} />
        ),
    },
    {
      id: 'waterfall',
      header: 'Timeline',
      priority: 3,
      title: 'Position in the session',
      cell: renderCallCell((line) => <WaterfallCell line={line} bars={bars} />),
    },
    { id: 'outcome', header: 'Outcome', cell: renderCallCell(({ call }) => <OutcomeBadge call={call} />) },
    {
      id: 'changes',
      header: 'Changed vs previous',
      priority: 4,
      title: 'Changes in arguments and result since the previous call of the same tool',
      cell: renderCallCell((line) => <ChangesCell line={line} differences={differences} />),
    },
    {
      id: 'duration',
      header: 'Duration',
      align: 'end',
      title: 'For a group, from the start of its first call to the end of its last',
      cell: renderCallCell(({ call, run, kind }) =>
        formatDuration(kind === 'head' ? toElapsedMs(run.calls) : call.durationMs),
      ),
    },
  ];
}

function PauseCell({
  pauseMs,
  longestPauseMs,
}: {
  readonly pauseMs: number | undefined;
  readonly longestPauseMs: number | undefined;
}) {
  if (longestPauseMs !== undefined)
    return (
      <span className="muted" title="Longest pause in this group">
        ≤ {formatDuration(longestPauseMs)}
      </span>
    );
  return <span className="muted">{pauseMs === undefined ? '' : formatDuration(pauseMs)}</span>;
}

function formatPosition({ position, kind, run }: TimelineCallRow): string {
  if (position === undefined) return '';
  return kind === 'head' ? `${position}–${position + run.calls.length - 1}` : String(position);
}

function ChangesCell({
  line,
  differences,
}: { readonly line: TimelineCallRow } & Pick<TimelineColumnsInput, 'differences'>) {
  if (line.kind === 'head') return <RunSameness run={line.run} />;
  const difference = differences.get(line.key);
  return difference ? <CallChanges comparison={difference} /> : null;
}

/** One bar for every call of a folded run, or a single bar for any other row. */
function WaterfallCell({
  line: { kind, call, run },
  bars,
}: { readonly line: TimelineCallRow } & Pick<TimelineColumnsInput, 'bars'>) {
  const calls = kind === 'head' ? run.calls : [call];
  return (
    <span className="fall" aria-hidden="true">
      {calls.map((one) => {
        const { from, width } = bars.get(toCallKey(one)) ?? { from: 0, width: 0 };
        return (
          <i
            key={toCallKey(one)}
            className={one.fault}
            style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${width * 100}%` }}
          />
        );
      })}
    </span>
  );
}

interface CallNameProps {
  readonly line: TimelineCallRow;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function CallName({ line: { call, run, kind, isLoopStart, loop }, open, onToggle }: CallNameProps) {
  const names =
    kind === 'head' ? run.calls.slice(0, run.period).map(toCallName).join(' → ') : toCallName(call);
  return (
    <span className={`call-name ${kind}`}>
      <button type="button" className="fold" aria-expanded={open} onClick={onToggle}>
        <Icon name="right" />
        <span className={call.tool ? 'name' : 'name muted'}>{names}</span>
      </button>
      {isLoopStart && kind !== 'inner' ? (
        <span className="in-loop" title={loop?.sentence}>
          <Icon name="loop" label="a loop starts here" />
        </span>
      ) : null}
      {kind === 'head' ? <RunSummary run={run} /> : null}
    </span>
  );
}

function RunSummary({ run }: { readonly run: Run }) {
  return (
    <span className="run-note">
      <strong>×{formatCount(run.calls.length / run.period)}</strong>
      <span className="words"> same arguments, {RESULT_LABELS[run.result ?? 'unknown'].text}</span>
      {describeGuardVerdicts(run.calls)}
    </span>
  );
}

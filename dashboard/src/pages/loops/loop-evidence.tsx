// The evidence of a loop: each call compared with one round earlier, and the rule.
import { Link } from 'wouter';
import type { LoopEvidenceCall, LoopRow } from '../../../../src/contract/loops.ts';
import { ComparisonBadge } from '../../components/comparison-badge.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { Clock } from '../../components/values.tsx';
import {
  describeArgumentSameness,
  describeLoopRule,
  describeResultSameness,
} from '../../format/describe-loop.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { sessionPath } from '../../paths.ts';
import { toCallKey } from '../../view/call-key.ts';
import { useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';

export function LoopEvidence({ loop }: { readonly loop: LoopRow }) {
  const view = useView();
  const { rule, ruleThresholds, clearedBy } = describeLoopRule(loop);
  return (
    <div className="evidence">
      {loop.evidence.length === 0 ? (
        <p className="state empty">The calls of this loop are no longer stored.</p>
      ) : (
        <DataTable
          label={`Evidence of ${loop.id}`}
          columns={toColumns(loop, view)}
          rows={loop.evidence}
          keyOf={({ index }) => String(index)}
        />
      )}
      <FirstRepetition loop={loop} view={view} />
      <dl className="rule">
        <div>
          <dt>Rule</dt>
          <dd>{rule}</dd>
        </div>
        <div>
          <dt>Thresholds</dt>
          <dd>
            {ruleThresholds.map(({ name, value, words: label }, at) => (
              <span key={name} title={name}>
                {at === 0 ? '' : ', '}
                <strong>{formatCount(value)}</strong> {label}
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>Cleared by</dt>
          <dd>{clearedBy}</dd>
        </div>
      </dl>
    </div>
  );
}

function FirstRepetition({ loop, view }: { readonly loop: LoopRow; readonly view: View }) {
  const { evidence, period, sessionId, server } = loop;
  const first = evidence[period] ?? evidence[0];
  if (!first) return null;
  return (
    <Link className="button" href={sessionPath(view, { id: sessionId, of: server, call: toCallKey(first) })}>
      Open the first repetition
    </Link>
  );
}

function toColumns(loop: LoopRow, view: View): Column<LoopEvidenceCall>[] {
  const { evidence, period, sessionId, server } = loop;
  const before = new Map(evidence.map((call, at) => [call.index, evidence[at - 1]?.startedAt]));
  const isRound = (call: LoopEvidenceCall): boolean => period > 1 && evidence.indexOf(call) % period === 0;
  return [
    {
      id: 'index',
      header: '#',
      align: 'end',
      title: 'Position in the session',
      cell: (call) => (
        <Link
          href={sessionPath(view, { id: sessionId, of: server, call: toCallKey(call) })}
          className={isRound(call) ? undefined : 'muted'}
        >
          {call.index + 1}
        </Link>
      ),
    },
    {
      id: 'time',
      header: 'Time',
      priority: 3,
      cell: ({ startedAt }) => <Clock at={startedAt} />,
    },
    {
      id: 'after',
      header: 'After',
      align: 'end',
      priority: 4,
      title: 'Since the previous call in this list',
      cell: ({ index, startedAt }) => (
        <span className="muted">{formatPauseBefore(before.get(index), startedAt)}</span>
      ),
    },
    { id: 'tool', header: 'Call', cell: ({ tool }) => tool || <span className="muted">unknown tool</span> },
    {
      id: 'arguments',
      header: 'Arguments',
      cell: (call) => (
        <ComparisonBadge label={describeArgumentSameness(call)}>
          {call.changedArguments.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </ComparisonBadge>
      ),
    },
    {
      id: 'answer',
      header: 'Result',
      cell: (call) => <ComparisonBadge label={describeResultSameness(call)} />,
    },
    {
      id: 'outcome',
      header: 'Outcome',
      priority: 2,
      cell: ({ outcome, code, errorMessage }) => (
        <span className="outcome" title={errorMessage || undefined}>
          <span className={outcome === 'ok' ? 'muted' : undefined}>{formatOutcome(outcome)}</span>
          {code && code !== outcome ? <code className="code">{code}</code> : null}
        </span>
      ),
    },
    {
      id: 'size',
      header: 'Size',
      align: 'end',
      priority: 4,
      cell: ({ resultBytes }) => <span className="muted">{formatBytes(resultBytes)}</span>,
    },
    {
      id: 'took',
      header: 'Duration',
      align: 'end',
      priority: 3,
      cell: ({ durationMs }) => formatDuration(durationMs),
    },
  ];
}

function formatPauseBefore(before: string | undefined, startedAt: string): string {
  return before === undefined ? '' : formatDuration(Math.max(0, Date.parse(startedAt) - Date.parse(before)));
}

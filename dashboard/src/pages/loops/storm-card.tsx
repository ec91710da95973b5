// One storm: what fails for how many sessions, the fault, and the sessions that looped because of it.

import { Link } from 'wouter';
import type { StormRow } from '../../../../src/contract/storms.ts';
import { useResource } from '../../api/queries.ts';
import { Fact } from '../../components/fact.tsx';
import { Icon } from '../../components/icon.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatCause, formatLoopKind, isLoopKind } from '../../format/describe-loop.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { callsPath, sessionPath } from '../../paths.ts';
import { type View, withFilter } from '../../view/view.ts';

interface StormCardProps {
  readonly storm: StormRow;
  readonly view: View;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function StormCard({ storm, view, isOpen, onToggle }: StormCardProps) {
  const { server, tools, sessions, calls, cause, firstAt, lastAt } = storm;
  return (
    <li className="loop-card storm" data-state={storm.state}>
      <header>
        <span className="loop-kind">
          <Icon name="server" />
          <strong>Storm</strong>
          <span>
            {storm.kind === 'loop' && isLoopKind(storm.code) ? formatLoopKind(storm.code) : storm.code}
          </span>
        </span>
        <span className={`loop-state ${storm.state}`}>
          {storm.state === 'active' ? <i className="pulse" aria-hidden="true" /> : null}
          {storm.state === 'active' ? 'goes on, last call ' : 'over, last call '}
          <Ago at={lastAt} />
        </span>
      </header>
      <p className="sentence">{storm.sentence}</p>
      <dl className="facts">
        <Fact name="Server">{server}</Fact>
        <Fact name={tools.length === 1 ? 'Tool' : 'Tools'}>
          <span className="list" title={tools.join(', ')}>
            {tools.join(', ')}
          </span>
        </Fact>
        <Fact name="Cause">{formatCause(cause)}</Fact>
        <Fact name="Sessions">
          <Count value={sessions} />
        </Fact>
        <Fact name={storm.kind === 'loop' ? 'Wasted calls' : 'Failed calls'}>
          <StormCalls storm={storm} view={view} calls={calls} />
        </Fact>
        <Fact name="Lasted">{formatDuration(Date.parse(lastAt) - Date.parse(firstAt))}</Fact>
      </dl>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name="right" />
        <span className="name">Its loops, by session</span>
      </button>
      {isOpen ? <StormSessions storm={storm} view={view} /> : null}
    </li>
  );
}

/** Links to the calls of a failure by its code; there is no such list for loops. */
function StormCalls({
  storm,
  view,
  calls,
}: Pick<StormCardProps, 'storm' | 'view'> & { readonly calls: number }) {
  if (storm.kind === 'loop') return <Count value={calls} />;
  const own = withFilter(view, ['server', storm.server]);
  return <Link href={callsPath(own, { code: storm.code })}>{formatCount(calls)}</Link>;
}

function StormSessions({ storm, view }: Pick<StormCardProps, 'storm' | 'view'>) {
  const { data } = useResource('loops', {
    from: view.from,
    to: view.to,
    storm: storm.id,
    severity: 'note',
    limit: '200',
  });
  if (!data) return <p className="muted">Loading…</p>;
  if (data.loops.length === 0)
    return <p className="muted">None of its sessions went on long enough to be in a loop.</p>;
  const more = data.total - data.loops.length;
  return (
    <>
      <ul className="storm-sessions" aria-label={`Loops of ${storm.id}`}>
        {data.loops.map(({ id, sessionId, kind, tools, wastedCalls }) => (
          <li key={id}>
            <Link href={sessionPath(view, { id: sessionId, of: storm.server })} title={sessionId}>
              <code>{truncateMiddle(sessionId)}</code>
            </Link>
            <span className="muted">
              {formatLoopKind(kind).toLowerCase()} of {tools.join(', ')}, {formatPlural(wastedCalls, 'call')}{' '}
              wasted
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p className="muted">{formatCount(more)} more.</p> : null}
    </>
  );
}

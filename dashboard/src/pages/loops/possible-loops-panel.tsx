// Repeats in active sessions that are one call short of a loop; unobtrusive, because they are no verdict.
import { Link } from 'wouter';
import type { LoopRow } from '../../../../src/contract/loops.ts';
import { usePossibleLoops } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { describeBecameLoop, formatLoopKind } from '../../format/describe-loop.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

interface PossibleLoopsPanelProps {
  readonly view: View;
  /** Limits the list to this session. */
  readonly session?: { readonly sessionId: string; readonly server: string };
}

export function PossibleLoopsPanel({ view, session }: PossibleLoopsPanelProps) {
  const { data } = usePossibleLoops(view, session);
  const possibleLoops = data?.loops.filter(({ severity }) => severity === 'note') ?? [];
  if (possibleLoops.length === 0) return null;
  return (
    <Panel title="May be looping" note="one call short of a loop; the next call decides">
      <ul className="may-loop" aria-label="May be looping">
        {possibleLoops.map((loop) => (
          <li key={loop.id}>
            <PossibleLoop loop={loop} view={view} inSession={session !== undefined} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface PossibleLoopProps {
  readonly loop: LoopRow;
  readonly view: View;
  readonly inSession: boolean;
}

function PossibleLoop({ loop, view, inSession }: PossibleLoopProps) {
  const { sessionId, server, kind, sentence } = loop;
  const becameLoop = describeBecameLoop(loop);
  return (
    <span className="muted">
      {inSession ? null : (
        <>
          <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
            <code>{truncateMiddle(sessionId)}</code>
          </Link>{' '}
        </>
      )}
      <span title={sentence}>
        {formatLoopKind(kind)} of {loop.tools.join(', ')}
      </span>
      {becameLoop === undefined ? '' : `; ${becameLoop}`}
    </span>
  );
}

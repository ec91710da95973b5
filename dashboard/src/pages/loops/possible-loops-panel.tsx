import type { LoopRow } from '../../../../src/contract/loops.ts';
import { usePossibleLoops } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { describeBecameLoop, formatLoopKind } from '../../format/describe-loop.ts';
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
    <Panel title="Possible loops" note="one call short of a loop">
      <ul className="may-loop" aria-label="Possible loops">
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
  const { kind, sentence } = loop;
  const becameLoop = describeBecameLoop(loop);
  return (
    <span className="muted">
      {inSession ? null : (
        <>
          <SessionLink session={loop} view={view} />{' '}
        </>
      )}
      <span title={sentence}>
        {formatLoopKind(kind)} of {loop.tools.join(', ')}
      </span>
      {becameLoop === undefined ? '' : `; ${becameLoop}`}
    </span>
  );
}

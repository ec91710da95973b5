// What may become a loop, said quietly: one call short of one, in sessions that go on. No verdict.
import { Link } from 'wouter';
import type { LoopRow } from '../../../src/contract/loops.ts';
import { useBeginnings } from '../api/questions.ts';
import { Panel } from '../components/panel.tsx';
import { shortenMiddle } from '../format/format-id.ts';
import { tellBeginnings } from '../format/loop-cost.ts';
import { formatKind } from '../format/loop-words.ts';
import { sessionPath } from '../paths.ts';
import type { View } from '../view/view.ts';

interface MayLoopProps {
  readonly view: View;
  /** Only what begins in this session. */
  readonly session?: { readonly sessionId: string; readonly server: string };
}

export function MayLoop({ view, session }: MayLoopProps) {
  const { data } = useBeginnings(view, session);
  const begun = data?.loops.filter(({ severity }) => severity === 'note') ?? [];
  if (begun.length === 0) return null;
  return (
    <Panel title="May be looping" note="one call short of a loop; the next call decides">
      <ul className="may-loop" aria-label="May be looping">
        {begun.map((loop) => (
          <li key={loop.id}>
            <Beginning loop={loop} view={view} inSession={session !== undefined} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface BeginningProps {
  readonly loop: LoopRow;
  readonly view: View;
  readonly inSession: boolean;
}

function Beginning({ loop, view, inSession }: BeginningProps) {
  const { sessionId, server, kind, sentence } = loop;
  const before = tellBeginnings(loop);
  return (
    <span className="muted">
      {inSession ? null : (
        <>
          <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
            <code>{shortenMiddle(sessionId)}</code>
          </Link>{' '}
        </>
      )}
      <span title={sentence}>
        {formatKind(kind)} of {loop.tools.join(', ')}
      </span>
      {before === undefined ? '' : `; ${before}`}
    </span>
  );
}

// The detector's results for a session: its loops with their evidence, and its near misses.
import { useState } from 'react';
import type { SessionResponse } from '../../../../src/contract/sessions.ts';
import { Panel } from '../../components/panel.tsx';
import { formatLoopKind } from '../../format/describe-loop.ts';
import { formatPlural } from '../../format/format-number.ts';
import type { View } from '../../view/view.ts';
import { LoopCard } from '../loops/loop-card.tsx';
import { PossibleLoopsPanel } from '../loops/possible-loops-panel.tsx';

interface SessionLoopsProps {
  readonly response: Pick<SessionResponse, 'session' | 'loops' | 'consideredNotFlagged'>;
  readonly view: View;
}

export function SessionLoops({ response, view }: SessionLoopsProps) {
  const { session, loops, consideredNotFlagged } = response;
  const [open, setOpen] = useState<string>();
  return (
    <>
      {loops.length > 0 ? (
        <Panel title={formatPlural(loops.length, 'loop')}>
          <ul className="loop-cards" aria-label="Loops of this session">
            {loops.map((loop) => (
              <LoopCard
                key={loop.id}
                loop={loop}
                view={view}
                inSession
                isOpen={loop.id === open}
                onToggle={() => setOpen(loop.id === open ? undefined : loop.id)}
              />
            ))}
          </ul>
        </Panel>
      ) : null}
      <PossibleLoopsPanel view={view} session={session} />
      <NearMisses nearMisses={consideredNotFlagged} />
    </>
  );
}

function NearMisses({ nearMisses }: { readonly nearMisses: SessionResponse['consideredNotFlagged'] }) {
  const { whyNot, limits, notes } = nearMisses;
  if (whyNot === null && limits === null && notes.length === 0) return null;
  return (
    <Panel title="Considered, not flagged">
      <ul className="considered">
        {whyNot === null ? null : <li>{whyNot}</li>}
        {notes.map(({ kind, sentence }) => (
          <li key={`${kind} ${sentence}`}>
            <span className="muted">{formatLoopKind(kind)}: </span>
            {sentence}
          </li>
        ))}
        {limits === null ? null : <li className="muted">{limits}</li>}
      </ul>
    </Panel>
  );
}

// Storms of the range, above the loops: each is one entry, however many sessions it has.
import type { StormRow } from '../../../../src/contract/storms.ts';
import { useStorms } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import type { LoopsState } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { StormCard } from './storm-card.tsx';

interface StormsPanelProps {
  readonly view: View;
  readonly state: LoopsState;
  readonly toggle: (id: string) => void;
}

export function StormsPanel({ view, state, toggle }: StormsPanelProps) {
  const { data } = useStorms(view, state);
  if (!data || data.total === 0) return null;
  return (
    <Panel title="Storms" note="the same failure or loop in many sessions at once">
      <ul className="loop-cards" aria-label="Storms">
        {data.storms.map((storm: StormRow) => (
          <StormCard
            key={storm.id}
            storm={storm}
            view={view}
            isOpen={storm.id === state.storm}
            onToggle={() => toggle(storm.id)}
          />
        ))}
      </ul>
    </Panel>
  );
}

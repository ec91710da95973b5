// What to change, ranked by the number of lost calls.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { Panel } from '../../components/panel.tsx';
import { formatPlural } from '../../format/format-number.ts';
import type { View } from '../../view/view.ts';
import { AdviceCard } from './advice-card.tsx';

interface AdvicePanelProps {
  readonly advice: readonly AdviceRow[];
  readonly view: View;
}

export function AdvicePanel({ advice, view }: AdvicePanelProps) {
  const open = advice.filter(({ state }) => state === 'open').length;
  return (
    <Panel title="What to change" note={`${formatPlural(open, 'open finding')}, the most calls lost first`}>
      <ol className="advice-cards">
        {advice.map((row) => (
          <li key={row.id}>
            <AdviceCard row={row} view={view} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

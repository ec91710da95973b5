// Below the tiles: what their fine lines draw can be read as a table, saved and linked to.
import type { TrendAnswer } from '../../../../src/contract/overview.ts';
import { prepareTableCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { TwinTable } from '../../components/twin-table.tsx';
import { useAnchor } from '../../view/use-anchor.ts';
import { useTwin } from '../../view/use-twin.ts';

const ID = 'figures';

interface TilesOverTimeProps {
  readonly table: FigureTable<TrendAnswer['points'][number]>;
  readonly range: TrendAnswer['range'] | undefined;
}

export function TilesOverTime({ table, range }: TilesOverTimeProps) {
  const twin = useTwin(ID);
  const place = useAnchor(`#${ID}`);
  return (
    <section id={ID} ref={place} tabIndex={-1} className="over-time" aria-label="Figures over time">
      <header>
        <span className="muted">Over time</span>
        <ChartButtons
          drawn={{ id: ID, title: 'Figures over time', range }}
          toCsv={() => prepareTableCsv(table)}
          twin={twin}
        />
      </header>
      {twin.isShown ? <TwinTable table={table} /> : null}
    </section>
  );
}

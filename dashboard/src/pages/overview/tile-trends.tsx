// Below the tiles: the sparklines' data as a table view, a file and a link.
import type { TrendResponse } from '../../../../src/contract/overview.ts';
import { toTableCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import type { ExportTable } from '../../components/data-table.tsx';
import { TableView } from '../../components/data-table.tsx';
import { useAnchor } from '../../view/use-anchor.ts';
import { useTableView } from '../../view/use-view.ts';

const TILE_TRENDS_ID = 'figures';

interface TileTrendsProps {
  readonly table: ExportTable<TrendResponse['points'][number]>;
  readonly range: TrendResponse['range'] | undefined;
}

export function TileTrends({ table, range }: TileTrendsProps) {
  const tableView = useTableView(TILE_TRENDS_ID);
  const section = useAnchor(`#${TILE_TRENDS_ID}`);
  return (
    <section
      id={TILE_TRENDS_ID}
      ref={section}
      tabIndex={-1}
      className="over-time"
      aria-label="Figures over time"
    >
      <header>
        <span className="muted">Over time</span>
        <ChartButtons
          chart={{ id: TILE_TRENDS_ID, title: 'Figures over time', range }}
          toCsv={() => toTableCsv(table)}
          tableView={tableView}
        />
      </header>
      {tableView.isShown ? <TableView table={table} /> : null}
    </section>
  );
}

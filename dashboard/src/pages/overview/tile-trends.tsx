// The values of the tiles over time: a sparkline in each tile, and below the tiles one table view, a file and a
// link.
import { useId } from 'react';
import type { TrendResponse } from '../../../../src/contract/overview.ts';
import { toTableCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import { type ExportTable, TableView } from '../../components/data-table.tsx';
import { countColumn, durationColumn, rateColumn, timeColumn } from '../../components/table-columns.tsx';
import type { Zone } from '../../format/format-time.ts';
import { useZone } from '../../view/preferences.ts';
import { useAnchor } from '../../view/use-anchor.ts';
import { useTableView } from '../../view/use-view.ts';
import { type SparklinePaths, toErrorRate } from './prepare-sparkline.ts';

const ID = 'trend';
const TITLE = 'Trend of the range';

export function TileTrends({ response }: { readonly response: TrendResponse }) {
  const table = toTrendTable(response, useZone());
  const tableView = useTableView(ID);
  const section = useAnchor(`#${ID}`);
  if (table.rows.length === 0) return null;
  return (
    <section id={ID} ref={section} tabIndex={-1} className="over-time" aria-label={TITLE}>
      <header>
        <span className="muted">Over time</span>
        <ChartButtons
          chart={{ id: ID, title: TITLE, range: response.range }}
          toCsv={() => toTableCsv(table)}
          tableView={tableView}
        />
      </header>
      {tableView.isShown ? <TableView table={table} /> : null}
    </section>
  );
}

type TrendPoint = TrendResponse['points'][number];

/** Every bucket with a request, newest first. */
function toTrendTable({ points }: TrendResponse, zone: Zone): ExportTable<TrendPoint> {
  const callsOf = ({ calls }: TrendPoint): number => calls;
  return {
    label: TITLE,
    rows: points.filter(({ calls, sessions }) => calls + sessions > 0).reverse(),
    keyOf: ({ atMs }) => String(atMs),
    columns: [
      timeColumn(['from', 'From'], ({ atMs }) => new Date(atMs).toISOString(), { zone }),
      countColumn(['calls', 'Calls'], callsOf),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['errors', 'Errors'], ({ errors }) => errors),
      rateColumn(['errorRate', 'Error rate'], toErrorRate, callsOf),
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
    ],
  };
}

/** Decorative: the charts show the same data with its numbers. */
export function Sparkline({ paths }: { readonly paths: SparklinePaths | undefined }) {
  const id = useId();
  if (!paths || (paths.line === '' && paths.running === ''))
    return <span className="spark" aria-hidden="true" />;
  const { line, running, runningFrom } = paths;
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0v4" className="hatch" />
        </pattern>
      </defs>
      {runningFrom === undefined ? null : (
        <rect x={runningFrom} y="0" width={100 - runningFrom} height="24" fill={`url(#${id})`} />
      )}
      <path d={line} />
      <path d={running} className="running" />
    </svg>
  );
}

// The courses in the tiles as a table: every bucket with a request in it, the newest first.
import type { TrendAnswer } from '../../../../src/contract/overview.ts';
import { countColumn, lastingColumn, momentColumn } from '../../components/figure-columns.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { Rate } from '../../components/figures.tsx';
import type { Zone } from '../../format/format-time.ts';
import { errorRateOf } from './prepare-spark.ts';

type Point = TrendAnswer['points'][number];

export function toTrendTable({ points }: TrendAnswer, zone: Zone): FigureTable<Point> {
  return {
    label: 'Figures of the range over time',
    rows: points.filter(({ calls, sessions }) => calls + sessions > 0).reverse(),
    keyOf: ({ atMs }) => String(atMs),
    columns: [
      momentColumn(['from', 'From'], ({ atMs }) => new Date(atMs).toISOString(), { zone }),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['errors', 'Errors'], ({ errors }) => errors),
      {
        id: 'errorRate',
        header: 'Error rate',
        align: 'end',
        cell: (point) => <Rate rate={errorRateOf(point)} n={point.calls} />,
        raw: [['errorRate', errorRateOf]],
      },
      lastingColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: ({ calls }) => calls }),
    ],
  };
}

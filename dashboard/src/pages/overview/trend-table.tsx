// The sparklines as a table: every bucket with a request, newest first.
import type { TrendResponse } from '../../../../src/contract/overview.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { countColumn, durationColumn, timeColumn } from '../../components/table-columns.tsx';
import { Rate } from '../../components/values.tsx';
import type { Zone } from '../../format/format-time.ts';
import { toErrorRate } from './prepare-sparkline.ts';

type TrendPoint = TrendResponse['points'][number];

export function toTrendTable({ points }: TrendResponse, zone: Zone): ExportTable<TrendPoint> {
  return {
    label: 'Figures of the range over time',
    rows: points.filter(({ calls, sessions }) => calls + sessions > 0).reverse(),
    keyOf: ({ atMs }) => String(atMs),
    columns: [
      timeColumn(['from', 'From'], ({ atMs }) => new Date(atMs).toISOString(), { zone }),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['errors', 'Errors'], ({ errors }) => errors),
      {
        id: 'errorRate',
        header: 'Error rate',
        align: 'end',
        cell: (point) => <Rate rate={toErrorRate(point)} n={point.calls} />,
        raw: [['errorRate', toErrorRate]],
      },
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: ({ calls }) => calls }),
    ],
  };
}

// The stats of every tool over the whole range, shown next to the charts.
import type { ToolRow } from '../../../../src/contract/responses.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { countColumn, durationColumn, textColumn, timeColumn } from '../../components/table-columns.tsx';
import { Rate } from '../../components/values.tsx';

export function toToolStatsTable(rows: readonly ToolRow[]): ExportTable<ToolRow> {
  const callsOf = ({ calls }: ToolRow): number => calls;
  return {
    label: 'Figures of the tools',
    rows,
    keyOf: ({ server, tool }) => `${server} ${tool}`,
    columns: [
      textColumn(['server', 'Server'], ({ server }) => server),
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['calls', 'Calls'], callsOf),
      countColumn(['callsPerMinute', 'Calls a minute'], ({ callsPerMinute }) => callsPerMinute),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['errors', 'Errors'], ({ errors }) => errors),
      {
        id: 'errorRate',
        header: 'Error rate',
        align: 'end',
        cell: ({ errorRate, calls }) => <Rate rate={errorRate} n={calls} />,
        raw: [['errorRate', ({ errorRate }) => errorRate]],
      },
      durationColumn(['p50Ms', 'p50'], ({ p50Ms }) => p50Ms, { n: callsOf }),
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
      durationColumn(['p99Ms', 'p99'], ({ p99Ms }) => p99Ms, { n: callsOf }),
      timeColumn(['lastCalledAt', 'Last call'], ({ lastCalledAt }) => lastCalledAt, { zone: 'utc' }),
    ],
  };
}

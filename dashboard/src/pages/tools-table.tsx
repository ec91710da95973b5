// The figures of every tool over the whole range, as they stand beside the charts.
import type { ToolRow } from '../../../src/contract/answers.ts';
import { countColumn, lastingColumn, momentColumn, textColumn } from '../components/figure-columns.tsx';
import type { FigureTable } from '../components/figure-table.ts';
import { Rate } from '../components/figures.tsx';

export function toToolsTable(rows: readonly ToolRow[]): FigureTable<ToolRow> {
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
      lastingColumn(['p50Ms', 'p50'], ({ p50Ms }) => p50Ms, { n: callsOf }),
      lastingColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
      lastingColumn(['p99Ms', 'p99'], ({ p99Ms }) => p99Ms, { n: callsOf }),
      momentColumn(['lastCalledAt', 'Last call'], ({ lastCalledAt }) => lastCalledAt, { zone: 'utc' }),
    ],
  };
}

// The three lists of adjacent tools as one table with all rows; the lists show only the first of each.
import type { Proportion, ToolResponse } from '../../../../src/contract/tool.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { countColumn, textColumn, toRawShare } from '../../components/table-columns.tsx';
import { Share } from '../../components/values.tsx';

export interface AdjacentToolRow {
  readonly position: 'before' | 'after' | 'instead';
  readonly tool: string;
  readonly count: number;
  /** Null except for tools that succeeded instead. */
  readonly sessions: number | null;
  /** Of the later of the two calls; null for tools that succeeded instead. */
  readonly endedInFailure: Proportion | null;
}

const NO_PROPORTION: Proportion = { value: null, n: 0, low: null, high: null };
const POSITION_LABELS = { before: 'before', after: 'after', instead: 'in its place' } as const;

export function toAdjacentToolRows({ before, after, confusedWith }: ToolResponse): AdjacentToolRow[] {
  return [
    ...before.map((row) => ({ ...row, position: 'before' as const, sessions: null })),
    ...after.map((row) => ({ ...row, position: 'after' as const, sessions: null })),
    ...confusedWith.map(({ tool, calls, sessions }) => ({
      ...{ position: 'instead' as const, tool, count: calls },
      ...{ sessions, endedInFailure: null },
    })),
  ];
}

export function toAdjacentToolsTable(rows: readonly AdjacentToolRow[]): ExportTable<AdjacentToolRow> {
  const shareOf = ({ endedInFailure }: AdjacentToolRow): Proportion => endedInFailure ?? NO_PROPORTION;
  return {
    label: 'All neighbours',
    rows,
    keyOf: ({ position, tool }) => `${position} ${tool}`,
    columns: [
      textColumn(['place', 'Called'], ({ position }) => POSITION_LABELS[position]),
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['times', 'Times'], ({ count }) => count),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      {
        id: 'endedInFailure',
        header: 'Ended in a failure',
        align: 'end',
        cell: (row) => <Share share={shareOf(row)} />,
        raw: toRawShare('endedInFailure', shareOf),
      },
    ],
  };
}

// The three lists of neighbours as one table, in full where the lists have room for the first of each.
import type { Proportion, ToolAnswer } from '../../../../src/contract/tool.ts';
import { countColumn, rawShare, textColumn } from '../../components/figure-columns.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { Share } from '../../components/figures.tsx';

export interface NeighbourRow {
  readonly place: 'before' | 'after' | 'instead';
  readonly tool: string;
  readonly count: number;
  /** Known of what succeeded in its place. */
  readonly sessions: number | null;
  /** Of the later one of the two; null for what succeeded in its place. */
  readonly endedInFailure: Proportion | null;
}

const NO_SHARE: Proportion = { value: null, n: 0, low: null, high: null };
const WORDS = { before: 'before', after: 'after', instead: 'in its place' } as const;

export function toNeighbourRows({ before, after, confusedWith }: ToolAnswer): NeighbourRow[] {
  return [
    ...before.map((row) => ({ ...row, place: 'before' as const, sessions: null })),
    ...after.map((row) => ({ ...row, place: 'after' as const, sessions: null })),
    ...confusedWith.map(({ tool, calls, sessions }) => ({
      ...{ place: 'instead' as const, tool, count: calls },
      ...{ sessions, endedInFailure: null },
    })),
  ];
}

export function toNeighboursTable(rows: readonly NeighbourRow[]): FigureTable<NeighbourRow> {
  const shareOf = ({ endedInFailure }: NeighbourRow): Proportion => endedInFailure ?? NO_SHARE;
  return {
    label: 'All neighbours',
    rows,
    keyOf: ({ place, tool }) => `${place} ${tool}`,
    columns: [
      textColumn(['place', 'Called'], ({ place }) => WORDS[place]),
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['times', 'Times'], ({ count }) => count),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      {
        id: 'endedInFailure',
        header: 'Ended in a failure',
        align: 'end',
        cell: (row) => <Share share={shareOf(row)} />,
        raw: rawShare('endedInFailure', shareOf),
      },
    ],
  };
}

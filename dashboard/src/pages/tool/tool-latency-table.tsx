// Latency by client and by size of the result in one table: the bars in figures.
import type { Proportion, ToolAnswer } from '../../../../src/contract/tool.ts';
import { countColumn, lastingColumn, rawShare, textColumn } from '../../components/figure-columns.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { Share } from '../../components/figures.tsx';
import { formatBytes, NOTHING } from '../../format/format-number.ts';

interface LatencyLine {
  readonly by: 'client' | 'size';
  readonly name: string;
  readonly fromBytes: number | null;
  readonly toBytes: number | null;
  readonly calls: number;
  /** Of a client. */
  readonly errorRate: Proportion;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** A size has no rate of its own: failed calls have no result. */
const NO_RATE: Proportion = { value: null, n: 0, low: null, high: null };

export function toLatencyTable({ byClient, bySize }: ToolAnswer): FigureTable<LatencyLine> {
  const callsOf = ({ calls }: LatencyLine): number => calls;
  return {
    label: 'Latency by client and size',
    rows: [
      ...byClient.map(
        ({ client, ...row }): LatencyLine => ({
          ...row,
          ...{ by: 'client', name: client || 'unknown', fromBytes: null, toBytes: null },
        }),
      ),
      ...bySize
        .filter(({ calls }) => calls > 0)
        .map((row): LatencyLine => ({ ...row, by: 'size', name: formatSize(row), errorRate: NO_RATE })),
    ],
    keyOf: ({ by, name }) => `${by} ${name}`,
    columns: [
      textColumn(['by', 'By'], ({ by }) => by),
      {
        id: 'name',
        header: 'Client or result',
        cell: ({ name }) => name,
        raw: [
          ['client', ({ by, name }) => (by === 'client' ? name : '')],
          ['fromBytes', ({ fromBytes }) => fromBytes],
          ['toBytes', ({ toBytes }) => toBytes],
        ],
      },
      countColumn(['calls', 'Calls'], callsOf),
      {
        id: 'errorRate',
        header: 'Fails',
        align: 'end',
        cell: ({ by, errorRate }) => (by === 'client' ? <Share share={errorRate} /> : NOTHING),
        raw: rawShare('errorRate', ({ errorRate }) => errorRate),
      },
      lastingColumn(['p50Ms', 'p50'], ({ p50Ms }) => p50Ms, { n: callsOf }),
      lastingColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
    ],
  };
}

/** "1 kB to 10 kB", "1 MB and more" */
export function formatSize({ fromBytes, toBytes }: ToolAnswer['bySize'][number]): string {
  return toBytes === null
    ? `${formatBytes(fromBytes)} and more`
    : `${formatBytes(fromBytes)} to ${formatBytes(toBytes)}`;
}

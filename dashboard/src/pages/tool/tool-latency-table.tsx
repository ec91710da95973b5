// The table view of the latency by client and by result size.
import type { Proportion, ToolResponse } from '../../../../src/contract/tool.ts';
import type { ExportTable } from '../../components/data-table.tsx';
import { countColumn, durationColumn, textColumn, toRawShare } from '../../components/table-columns.tsx';
import { Share } from '../../components/values.tsx';
import { formatBytes, NO_VALUE } from '../../format/format-number.ts';

interface LatencyTableRow {
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

/** Result sizes have no error rate, because failed calls have no result. */
const NO_PROPORTION: Proportion = { value: null, n: 0, low: null, high: null };

export function toLatencyTable({ byClient, bySize }: ToolResponse): ExportTable<LatencyTableRow> {
  const callsOf = ({ calls }: LatencyTableRow): number => calls;
  return {
    label: 'Latency by client and size',
    rows: [
      ...byClient.map(
        ({ client, ...row }): LatencyTableRow => ({
          ...row,
          ...{ by: 'client', name: client || 'unknown', fromBytes: null, toBytes: null },
        }),
      ),
      ...bySize
        .filter(({ calls }) => calls > 0)
        .map(
          (row): LatencyTableRow => ({
            ...row,
            by: 'size',
            name: formatSizeRange(row),
            errorRate: NO_PROPORTION,
          }),
        ),
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
        cell: ({ by, errorRate }) => (by === 'client' ? <Share share={errorRate} /> : NO_VALUE),
        raw: toRawShare('errorRate', ({ errorRate }) => errorRate),
      },
      durationColumn(['p50Ms', 'p50'], ({ p50Ms }) => p50Ms, { n: callsOf }),
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
    ],
  };
}

/** "1 kB to 10 kB", "1 MB and more" */
export function formatSizeRange({ fromBytes, toBytes }: ToolResponse['bySize'][number]): string {
  return toBytes === null
    ? `${formatBytes(fromBytes)} and more`
    : `${formatBytes(fromBytes)} to ${formatBytes(toBytes)}`;
}

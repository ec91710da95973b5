// Columns of table views, one function per kind of value. Names in the file include the displayed unit.
import type { Proportion } from '../../../src/contract/tool.ts';
import { MIN_RELIABLE_CALLS } from '../charts/prepared-chart.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatDateTime, type Zone } from '../format/format-time.ts';
import type { ExportColumn } from './export-table.ts';
import { Count, FewCallsBadge, Share } from './values.tsx';

/** The name in the file, and the column header. */
type ColumnNames = readonly [raw: string, header: string];

export function textColumn<T>([raw, header]: ColumnNames, of: (row: T) => string): ExportColumn<T> {
  return { id: raw, header, cell: of, raw: [[raw, of]] };
}

export function countColumn<T>([raw, header]: ColumnNames, of: (row: T) => number | null): ExportColumn<T> {
  return {
    id: raw,
    header,
    align: 'end',
    cell: (row) => {
      const value = of(row);
      return value === null ? <span className="muted">–</span> : <Count value={value} />;
    },
    raw: [[raw, of]],
  };
}

/** @param of a time in ISO 8601 */
export function timeColumn<T>(
  [raw, header]: ColumnNames,
  of: (row: T) => string,
  { zone }: { readonly zone: Zone },
): ExportColumn<T> {
  return {
    id: raw,
    header,
    cell: (row) => formatDateTime(Date.parse(of(row)), zone),
    raw: [[raw, (row) => new Date(of(row)).toISOString()]],
  };
}

/** @param n calls behind a percentile; omitted for a duration that was measured once */
export function durationColumn<T>(
  [raw, header]: ColumnNames,
  of: (row: T) => number | null,
  { n }: { readonly n?: (row: T) => number } = {},
): ExportColumn<T> {
  return {
    id: raw,
    header,
    align: 'end',
    cell: (row) => {
      const calls = n?.(row) ?? MIN_RELIABLE_CALLS;
      return (
        <>
          <FewCallsBadge n={calls} />{' '}
          <span className={calls < MIN_RELIABLE_CALLS ? 'few' : undefined}>{formatDuration(of(row))}</span>
        </>
      );
    },
    raw: [[raw, of]],
  };
}

/** A proportion with its n and its interval; each has its own column in the file. */
export function shareColumn<T>([raw, header]: ColumnNames, of: (row: T) => Proportion): ExportColumn<T> {
  return {
    id: raw,
    header,
    align: 'end',
    cell: (row) => <Share share={of(row)} />,
    raw: toRawShare(raw, of),
  };
}

/** The CSV columns of a proportion. */
export function toRawShare<T>(raw: string, of: (row: T) => Proportion): ExportColumn<T>['raw'] {
  return [
    [raw, (row) => of(row).value],
    [`${raw}N`, (row) => of(row).n],
    [`${raw}Low`, (row) => of(row).low],
    [`${raw}High`, (row) => of(row).high],
  ];
}

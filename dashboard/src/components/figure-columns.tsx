// Columns of a drawing's table, one kind of figure each: the name in the file tells the unit that the cell shows.
import type { Proportion } from '../../../src/contract/tool.ts';
import { FEW_CALLS } from '../charts/prepared-chart.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatMoment, type Zone } from '../format/format-time.ts';
import type { FigureColumn } from './figure-table.ts';
import { Count, FewCalls, Share } from './figures.tsx';

/** Name in the file, and what stands above the column. */
type Names = readonly [raw: string, header: string];

export function textColumn<T>([raw, header]: Names, of: (row: T) => string): FigureColumn<T> {
  return { id: raw, header, cell: of, raw: [[raw, of]] };
}

export function countColumn<T>([raw, header]: Names, of: (row: T) => number | null): FigureColumn<T> {
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

/** @param of a moment in ISO 8601 */
export function momentColumn<T>(
  [raw, header]: Names,
  of: (row: T) => string,
  { zone }: { readonly zone: Zone },
): FigureColumn<T> {
  return {
    id: raw,
    header,
    cell: (row) => formatMoment(Date.parse(of(row)), zone),
    raw: [[raw, (row) => new Date(of(row)).toISOString()]],
  };
}

/** @param n calls behind a percentile; left out for a time that was measured once */
export function lastingColumn<T>(
  [raw, header]: Names,
  of: (row: T) => number | null,
  { n }: { readonly n?: (row: T) => number } = {},
): FigureColumn<T> {
  return {
    id: raw,
    header,
    align: 'end',
    cell: (row) => {
      const calls = n?.(row) ?? FEW_CALLS;
      return (
        <>
          <FewCalls n={calls} />{' '}
          <span className={calls < FEW_CALLS ? 'few' : undefined}>{formatDuration(of(row))}</span>
        </>
      );
    },
    raw: [[raw, of]],
  };
}

/** A share with its n and its interval, in the file each in a column of its own. */
export function shareColumn<T>([raw, header]: Names, of: (row: T) => Proportion): FigureColumn<T> {
  return {
    id: raw,
    header,
    align: 'end',
    cell: (row) => <Share share={of(row)} />,
    raw: rawShare(raw, of),
  };
}

/** The values of a share in a file. */
export function rawShare<T>(raw: string, of: (row: T) => Proportion): FigureColumn<T>['raw'] {
  return [
    [raw, (row) => of(row).value],
    [`${raw}N`, (row) => of(row).n],
    [`${raw}Low`, (row) => of(row).low],
    [`${raw}High`, (row) => of(row).high],
  ];
}

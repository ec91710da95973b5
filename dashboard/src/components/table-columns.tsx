// Columns of tables, one function per kind of value. Each is a column of the table on the screen, of its CSV file
// and, in a table that sorts, a sort key. Names in the file include the unit.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Proportion } from '../../../src/contract/fields.ts';
import { MIN_RELIABLE_CALLS } from '../charts/prepared-chart.ts';
import { formatDuration } from '../format/format-duration.ts';
import { NO_VALUE } from '../format/format-number.ts';
import { formatDateTime, type Zone } from '../format/format-time.ts';
import { toolPath } from '../paths.ts';
import type { ToolRef } from '../view/tool-ref.ts';
import type { View } from '../view/view.ts';
import type { Column, ExportColumn } from './data-table.tsx';
import { ServerLink } from './server-link.tsx';
import { Ago, Count, FewCallsBadge, Rate, Share } from './values.tsx';

/** The id, which is also the name in the file, and the column header. */
type ColumnNames = readonly [id: string, header: string];

type ColumnOptions<T> = Pick<Column<T>, 'priority' | 'title'>;

interface LinkedColumnOptions<T> extends ColumnOptions<T> {
  /** The page that shows what the value covers. */
  readonly link?: (row: T) => string | undefined;
}

/** A dash or a word in place of a value. */
export function NoValue({ text = NO_VALUE }: { readonly text?: string }) {
  return <span className="muted">{text}</span>;
}

export function textColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => string,
  options: ColumnOptions<T> & { readonly cell?: (row: T) => ReactNode } = {},
): ExportColumn<T> {
  return { id, header, cell: of, sort: of, raw: [[id, of]], ...options };
}

/** A name that may be missing. */
export function nameColumn<T>(
  names: ColumnNames,
  of: (row: T) => string,
  { unknown = 'unknown', link, ...options }: LinkedColumnOptions<T> & { readonly unknown?: string } = {},
): ExportColumn<T> {
  return textColumn(names, of, {
    ...options,
    cell: (row) => (of(row) === '' ? <NoValue text={unknown} /> : linkTo(link?.(row), of(row))),
  });
}

export function toolColumn<T extends ToolRef>(view: View): ExportColumn<T> {
  return nameColumn(['tool', 'Tool'], ({ tool }) => tool, { link: (row) => toolPath(view, row) });
}

export function serverColumn<T extends { readonly server: string }>(
  options: ColumnOptions<T> = {},
): ExportColumn<T> {
  return textColumn(['server', 'Server'], ({ server }) => server, {
    cell: ({ server }) => <ServerLink server={server} />,
    ...options,
  });
}

/** A count; null when it is unknown. A count of zero has no link. */
export function countColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => number | null,
  { link, ...options }: LinkedColumnOptions<T> = {},
): ExportColumn<T> {
  function toCell(row: T): ReactNode {
    const value = of(row);
    if (value === null) return <NoValue />;
    if (link && value === 0) return <NoValue text="0" />;
    return linkTo(link?.(row), <Count value={value} />);
  }
  return { id, header, align: 'end', cell: toCell, sort: of, raw: [[id, of]], ...options };
}

function linkTo(path: string | undefined, content: ReactNode): ReactNode {
  return path === undefined ? content : <Link href={path}>{content}</Link>;
}

/** @param of a time in ISO 8601 */
export function timeColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => string,
  { zone }: { readonly zone: Zone },
): ExportColumn<T> {
  return {
    id,
    header,
    cell: (row) => formatDateTime(Date.parse(of(row)), zone),
    raw: [[id, (row) => new Date(of(row)).toISOString()]],
  };
}

/**
 * How long ago something happened.
 *
 * @param of a time in ISO 8601, or null for never
 */
export function agoColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => string | null,
  options: ColumnOptions<T> = {},
): ExportColumn<T> {
  function toCell(row: T): ReactNode {
    const at = of(row);
    return at === null ? <NoValue text="never" /> : <Ago at={at} />;
  }
  return { id, header, align: 'end', cell: toCell, sort: of, raw: [[id, of]], ...options };
}

/** @param n calls behind a percentile; omitted for a duration that was measured once */
export function durationColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => number | null,
  { n, ...options }: ColumnOptions<T> & { readonly n?: (row: T) => number } = {},
): ExportColumn<T> {
  return {
    id,
    header,
    align: 'end',
    cell: (row) => <Duration ms={of(row)} n={n?.(row)} />,
    sort: of,
    raw: [[id, of]],
    ...options,
  };
}

interface DurationProps {
  readonly ms: number | null;
  /** Calls behind a percentile. */
  readonly n?: number | undefined;
}

/** A duration; marked when it rests on few calls. */
export function Duration({ ms, n = MIN_RELIABLE_CALLS }: DurationProps) {
  return (
    <>
      <FewCallsBadge n={n} />{' '}
      <span className={n < MIN_RELIABLE_CALLS ? 'few' : undefined}>{formatDuration(ms)}</span>
    </>
  );
}

/** A rate with the calls it rests on. */
export function rateColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => number | null,
  n: (row: T) => number,
): ExportColumn<T> {
  const cell = (row: T): ReactNode => <Rate rate={of(row)} n={n(row)} />;
  return { id, header, align: 'end', cell, sort: of, raw: [[id, of]] };
}

interface ShareColumnOptions<T> extends ColumnOptions<T> {
  readonly withInterval?: boolean;
  /** The noun of what is counted; calls by default. */
  readonly of?: string;
}

/** A proportion with its n and its interval; each has its own column in the file. */
export function shareColumn<T>(
  [id, header]: ColumnNames,
  of: (row: T) => Proportion,
  { withInterval = false, of: noun = 'call', ...options }: ShareColumnOptions<T> = {},
): ExportColumn<T> {
  return {
    id,
    header,
    align: 'end',
    cell: (row) => <Share share={of(row)} withInterval={withInterval} of={noun} />,
    sort: (row) => of(row).value,
    raw: toRawShare(id, of),
    ...options,
  };
}

/** The CSV columns of a proportion. */
export function toRawShare<T>(id: string, of: (row: T) => Proportion): ExportColumn<T>['raw'] {
  return [
    [id, (row) => of(row).value],
    [`${id}N`, (row) => of(row).n],
    [`${id}Low`, (row) => of(row).low],
    [`${id}High`, (row) => of(row).high],
  ];
}

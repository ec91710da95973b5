// A short table in a narrow column, such as the list beside a chart: the first column takes the width that the
// others leave, and is cut off with an ellipsis.
import type { Column } from './data-table.tsx';

/** Highlights the line of a tool in a chart, by its key; undefined ends it. */
export type HighlightLine = (key: string | undefined) => void;

interface RankTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly classOf?: (row: T) => string;
  /** Called with the row under the pointer, and with undefined when it leaves. */
  readonly onPoint?: (row: T | undefined) => void;
}

export function RankTable<T>({ label, columns, rows, keyOf, classOf, onPoint }: RankTableProps<T>) {
  return (
    <table className="rank" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ id, header, align, title }) => (
            <th key={id} scope="col" className={align} data-column={id} title={title}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className={classOf?.(row)}
            onPointerEnter={() => onPoint?.(row)}
            onPointerLeave={() => onPoint?.(undefined)}
          >
            {columns.map(({ id, align, cell }) => (
              <td key={id} className={align} data-column={id}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

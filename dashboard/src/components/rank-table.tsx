// A short table in a narrow column, such as the list beside a chart: the first column takes the width that the
// others leave, and is cut off with an ellipsis.
import type { Column } from './data-table.tsx';

/** Called with the key of the row under the pointer, to highlight its line in a chart. */
export type HighlightLine = (key: string | undefined) => void;

interface RankTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly classOf?: (row: T) => string;
  readonly highlight?: HighlightLine;
}

export function RankTable<T>({ label, columns, rows, keyOf, classOf, highlight }: RankTableProps<T>) {
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
            onPointerEnter={() => highlight?.(keyOf(row))}
            onPointerLeave={() => highlight?.(undefined)}
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

// Sorts table rows by one column. The sort is stable; rows without a value come last in both directions.

interface Sortable<T> {
  readonly id: string;
  readonly sort?: (row: T) => number | string | null;
}

interface SortOptions<T> {
  readonly columns: readonly Sortable<T>[];
  /** A column id, prefixed with `-` for descending. */
  readonly sort: string | undefined;
}

/** Returns the rows unchanged when the column is unknown or not sortable. */
export function sortRows<T>(rows: readonly T[], { columns, sort = '' }: SortOptions<T>): readonly T[] {
  const id = sort.replace(/^-/, '');
  const toValue = columns.find((column) => column.id === id)?.sort;
  if (!toValue) return rows;
  const way = sort.startsWith('-') ? -1 : 1;
  return rows
    .map((row) => ({ row, value: toValue(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return way * compareValues(a.value, b.value);
    })
    .map(({ row }) => row);
}

function compareValues(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

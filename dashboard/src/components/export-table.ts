// The rows of a chart: its table view and its CSV file use the same columns, so their values always match.
import type { CsvColumn } from '../charts/prepare-csv.ts';
import type { Column } from './data-table.tsx';

/** A column of the table view together with its CSV columns. */
export interface ExportColumn<T> extends Column<T>, CsvColumn<T> {}

export interface ExportTable<T> {
  readonly label: string;
  readonly columns: readonly ExportColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

// What a drawing says, as rows: its table on the page and its file are made of the same columns, so neither can tell
// another figure than the other.
import type { CsvColumn } from '../charts/prepare-csv.ts';
import type { Column } from './data-table.tsx';

/** A column for the eye, and what of it goes into the file. */
export interface ExportColumn<T> extends Column<T>, CsvColumn<T> {}

export interface ExportTable<T> {
  readonly label: string;
  readonly columns: readonly ExportColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

// What a drawing says, as rows: its table on the page and its file are made of the same columns, so neither can tell
// another figure than the other.
import type { FileColumn } from '../charts/prepare-csv.ts';
import type { Column } from './data-table.tsx';

/** A column for the eye, and what of it goes into the file. */
export interface FigureColumn<T> extends Column<T>, FileColumn<T> {}

export interface FigureTable<T> {
  readonly label: string;
  readonly columns: readonly FigureColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

// The table that says the same as a drawing. It scrolls in a frame of its own, so that it takes no more room than that.

import { type Column, DataTable } from './data-table.tsx';
import type { ExportTable } from './export-table.ts';

interface TableViewProps<T> {
  readonly table: Omit<ExportTable<T>, 'columns'> & { readonly columns: readonly Column<T>[] };
}

export function TableView<T extends object>({ table }: TableViewProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="twin" aria-label={table.label} tabIndex={0}>
      <DataTable {...table} />
    </section>
  );
}

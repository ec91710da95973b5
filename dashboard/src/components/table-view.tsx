// The table view of a chart. It scrolls in its own frame, so that it takes no more space than the chart.

import { type Column, DataTable } from './data-table.tsx';
import type { ExportTable } from './export-table.ts';

interface TableViewProps<T> {
  readonly table: Omit<ExportTable<T>, 'columns'> & { readonly columns: readonly Column<T>[] };
}

export function TableView<T extends object>({ table }: TableViewProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className="twin" aria-label={table.label} tabIndex={0}>
      <DataTable {...table} />
    </section>
  );
}

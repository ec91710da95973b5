// The table that says the same as a drawing. It scrolls in a frame of its own, so that it takes no more room than that.

import { type Column, DataTable } from './data-table.tsx';
import type { FigureTable } from './figure-table.ts';

interface TwinTableProps<T> {
  readonly table: Omit<FigureTable<T>, 'columns'> & { readonly columns: readonly Column<T>[] };
}

export function TwinTable<T extends object>({ table }: TwinTableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="twin" aria-label={table.label} tabIndex={0}>
      <DataTable {...table} />
    </section>
  );
}

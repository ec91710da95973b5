// The footer of a list next to a chart: a link to the remaining rows, and a button that saves all rows.
import type { ReactNode } from 'react';
import { toTableCsv } from '../../charts/prepare-csv.ts';
import { type ChartDescriptor, CsvButton } from '../../components/chart-buttons.tsx';
import type { ExportTable } from '../../components/data-table.tsx';

interface ListFooterProps<T> {
  readonly chart: ChartDescriptor;
  /** Contains all rows, including those not shown. */
  readonly table: ExportTable<T>;
  /** Undefined when all rows are shown. */
  readonly moreLink?: ReactNode;
}

export function ListFooter<T>({ chart, table, moreLink }: ListFooterProps<T>) {
  return (
    <p className="more beside-foot">
      {moreLink}
      <CsvButton chart={chart} toCsv={() => toTableCsv(table)} />
    </p>
  );
}

// Below the rows beside a chart: where the rest of them is, and all of them as a file.
import type { ReactNode } from 'react';
import { toTableCsv } from '../../charts/prepare-csv.ts';
import { type ChartDescriptor, CsvButton } from '../../components/chart-buttons.tsx';
import type { ExportTable } from '../../components/export-table.ts';

interface ListFooterProps<T> {
  readonly chart: ChartDescriptor;
  /** Of all rows, whatever is shown. */
  readonly table: ExportTable<T>;
  /** Undefined where all are shown. */
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

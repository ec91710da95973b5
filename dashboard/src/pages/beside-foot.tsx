// Below the rows beside a chart: where the rest of them is, and all of them as a file.
import type { ReactNode } from 'react';
import { prepareTableCsv } from '../charts/prepare-csv.ts';
import { CsvButton, type Drawn } from '../components/chart-buttons.tsx';
import type { FigureTable } from '../components/figure-table.ts';

interface BesideFootProps<T> {
  readonly drawn: Drawn;
  /** Of all rows, whatever is shown. */
  readonly table: FigureTable<T>;
  /** Undefined where all are shown. */
  readonly rest?: ReactNode;
}

export function BesideFoot<T>({ drawn, table, rest }: BesideFootProps<T>) {
  return (
    <p className="more beside-foot">
      {rest}
      <CsvButton drawn={drawn} toCsv={() => prepareTableCsv(table)} />
    </p>
  );
}

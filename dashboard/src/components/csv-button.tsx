// Saves a chart's figures as a file.
import { prepareCsv } from '../charts/prepare-csv.ts';
import type { PreparedChart } from '../charts/prepared-chart.ts';

interface CsvButtonProps {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly chart: PreparedChart;
}

export function CsvButton({ name, title, chart }: CsvButtonProps) {
  function save(): void {
    const url = URL.createObjectURL(new Blob([prepareCsv(chart)], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  }
  return (
    <button
      type="button"
      className="button bare"
      aria-label={`${title} as CSV`}
      title="Save as CSV"
      onClick={save}
    >
      CSV
    </button>
  );
}

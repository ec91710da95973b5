// What can be taken from a drawing: its figures as a file, a link that leads back to it, and its table in its place.
import { formatCsvFileName } from '../charts/prepare-csv.ts';
import { useChartLink } from '../view/use-share-link.ts';
import type { TableViewState } from '../view/use-table-view.ts';
import { useView } from '../view/use-view.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

export interface ChartDescriptor {
  /** Names the drawing in the address and its file. */
  readonly id: string;
  readonly title: string;
  /** Whose figures they are, where the filters do not say it. */
  readonly of?: { readonly server?: string; readonly tool?: string; readonly session?: string };
  /** The range of the figures as the service resolved it; that of the page unless told. */
  readonly range?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

interface ChartButtonsProps {
  readonly chart: ChartDescriptor;
  /** Undefined until there are figures. */
  readonly toCsv: (() => string) | undefined;
  /** Left out where the drawing stands in its own table. */
  readonly tableView?: TableViewState | undefined;
}

export function ChartButtons({ chart, toCsv, tableView }: ChartButtonsProps) {
  const { id, title, range } = chart;
  const toLink = useChartLink(id, range);
  return (
    <span className="chart-buttons">
      {toCsv ? <CsvButton chart={chart} toCsv={toCsv} /> : null}
      <CopyButton text={toLink} what={`link to ${title}`} />
      {tableView ? (
        <button
          type="button"
          className="button bare"
          aria-pressed={tableView.isShown}
          aria-label={`${title} as ${tableView.isShown ? 'chart' : 'table'}`}
          title={tableView.isShown ? 'As chart' : 'As table'}
          onClick={tableView.toggle}
        >
          <Icon name={tableView.isShown ? 'chart' : 'table'} />
        </button>
      ) : null}
    </span>
  );
}

interface CsvButtonProps {
  readonly chart: ChartDescriptor;
  readonly toCsv: () => string;
}

export function CsvButton({ chart: { id, title, of, range }, toCsv }: CsvButtonProps) {
  const { server, tool } = useView();
  return (
    <button
      type="button"
      className="button bare"
      aria-label={`${title} as CSV`}
      title="Save as CSV"
      onClick={() => downloadText(toCsv(), formatCsvFileName(id, { server, tool, ...of, range }))}
    >
      CSV
    </button>
  );
}

function downloadText(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

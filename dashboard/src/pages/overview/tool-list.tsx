// The list next to a chart: the tools with the highest values, a link to the others, and a file with all of them.
import { Link } from 'wouter';
import type { ToolRow } from '../../../../src/contract/tools.ts';
import type { ColourSlots } from '../../charts/prepare-colour-slots.ts';
import { toTableCsv } from '../../charts/prepare-csv.ts';
import { type ChartDescriptor, CsvButton } from '../../components/chart-buttons.tsx';
import type { Column, ExportTable } from '../../components/data-table.tsx';
import { type HighlightLine, RankTable } from '../../components/rank-table.tsx';
import {
  countColumn,
  durationColumn,
  rateColumn,
  serverColumn,
  textColumn,
  timeColumn,
} from '../../components/table-columns.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { toolPath } from '../../paths.ts';
import { type ToolRef, toolKey } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';

/** Rows next to a chart; the tools page lists the others. */
export const MAX_LIST_ROWS = 8;

interface ToolListProps<T, E> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The tool whose line is highlighted while the row is pointed at. */
  readonly toolOf: (row: T) => ToolRef;
  readonly classOf?: (row: T) => string;
  readonly highlight: HighlightLine;
  /** Contains all rows, including those not shown. */
  readonly table: ExportTable<E>;
  readonly chart: ChartDescriptor;
  /** Undefined when all rows are shown. */
  readonly more?: { readonly path: string; readonly text: string } | undefined;
}

export function ToolList<T, E>({ table, chart, more, highlight, toolOf, ...list }: ToolListProps<T, E>) {
  return (
    <>
      <RankTable {...list} onPoint={(row) => highlight(row && toolKey(toolOf(row)))} />
      <p className="more list-foot">
        {more ? <Link href={more.path}>{more.text}</Link> : null}
        <CsvButton chart={chart} toCsv={() => toTableCsv(table)} />
      </p>
    </>
  );
}

interface ToolNameColumnInput {
  readonly view: View;
  readonly slots: ColourSlots;
  /** All rows of the table. */
  readonly rows: readonly ToolRef[];
}

export function toolNameColumn<T extends ToolRef>(input: ToolNameColumnInput): Column<T> {
  return { id: 'tool', header: 'Tool', cell: (row) => <ColouredToolName row={row} {...input} /> };
}

/** The name of a tool with the colour of its line. */
export function ColouredToolName({
  row,
  slots,
  rows,
  view,
}: ToolNameColumnInput & { readonly row: ToolRef }) {
  return <ToolName row={row} slot={slots.slotOf(toolKey(row))} rows={rows} path={toolPath(view, row)} />;
}

/** The statistics of every tool over the whole range. */
export function toToolStatsTable(rows: readonly ToolRow[]): ExportTable<ToolRow> {
  const callsOf = ({ calls }: ToolRow): number => calls;
  return {
    label: 'Statistics per tool',
    rows,
    keyOf: toolKey,
    columns: [
      serverColumn(),
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['calls', 'Calls'], callsOf),
      countColumn(['callsPerMinute', 'Calls per minute'], ({ callsPerMinute }) => callsPerMinute),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      countColumn(['errors', 'Errors'], ({ errors }) => errors),
      rateColumn(['errorRate', 'Error rate'], ({ errorRate }) => errorRate, callsOf),
      durationColumn(['p50Ms', 'p50'], ({ p50Ms }) => p50Ms, { n: callsOf }),
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: callsOf }),
      durationColumn(['p99Ms', 'p99'], ({ p99Ms }) => p99Ms, { n: callsOf }),
      timeColumn(['lastCalledAt', 'Last call'], ({ lastCalledAt }) => lastCalledAt, { zone: 'utc' }),
    ],
  };
}

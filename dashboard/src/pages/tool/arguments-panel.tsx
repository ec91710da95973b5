// How each argument is used: the declaration compared with what agents send.
import type { ArgumentStats } from '../../../../src/contract/tool.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import type { ExportColumn, ExportTable } from '../../components/data-table.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { countColumn, NoValue, shareColumn, textColumn } from '../../components/table-columns.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { countedCallsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import type { ToolPanelProps } from './tool-panel-props.ts';

const toColumns = (view: View): ExportColumn<ArgumentStats>[] => [
  {
    id: 'path',
    header: 'Argument',
    cell: ({ path, isRequired }) => (
      <>
        <code title={path}>{path}</code>
        {isRequired ? <span className="muted"> required</span> : null}
      </>
    ),
    raw: [
      ['argument', ({ path }) => path],
      ['required', ({ isRequired }) => (isRequired ? 'yes' : 'no')],
    ],
  },
  {
    id: 'declared',
    header: 'Declared',
    priority: 2,
    cell: ({ isDeclared, declared }) =>
      isDeclared ? (
        declared
      ) : (
        <span className="undeclared">
          <Icon name="question" /> not declared
        </span>
      ),
    raw: [['declared', ({ declared }) => declared]],
  },
  shareColumn(['used', 'Used'], ({ used }) => used, {
    title: 'Of the calls whose argument names are known',
  }),
  countColumn(['refused', 'Refused'], ({ invalid }) => invalid, {
    title: 'Calls that were refused because of it',
    link: ({ path }) =>
      countedCallsPath(view, { errors: 'true', outcome: 'invalid_arguments', argument: path }),
  }),
  textColumn(['types', 'Sent as'], ({ types }) => formatCounts(types, String), {
    priority: 3,
    cell: ({ types }) => formatCounts(types, formatCount) || <NoValue />,
  }),
  {
    id: 'default',
    header: 'Default used',
    align: 'end',
    priority: 4,
    title: 'Calls that omitted it, and calls that sent its default value',
    cell: (row) => <DefaultUsage row={row} />,
    raw: [
      ['defaultOmitted', (row) => row.default?.omitted ?? null],
      ['defaultSent', (row) => row.default?.sent ?? null],
    ],
  },
  {
    id: 'values',
    header: 'Values',
    priority: 3,
    cell: (row) => <ArgumentValues row={row} />,
    raw: [
      ['values', ({ values }) => values.map(({ value, count }) => `${value} ${count}`).join(', ')],
      ['distinctValues', ({ distinct }) => distinct?.values ?? null],
      ['distinctCalls', ({ distinct }) => distinct?.calls ?? null],
    ],
  },
  {
    id: 'longest',
    header: 'Longest',
    align: 'end',
    priority: 4,
    cell: ({ longestText }) => (longestText === 0 ? <NoValue /> : formatPlural(longestText, 'character')),
    raw: [['longestCharacters', ({ longestText }) => longestText]],
  },
];

function formatCounts(types: ArgumentStats['types'], format: (count: number) => string): string {
  return types.map(({ type, count }) => `${type} ${format(count)}`).join(', ');
}

export function ArgumentsPanel({ response, view }: ToolPanelProps) {
  const { server, tool, range } = response;
  const table: ExportTable<ArgumentStats> = {
    label: 'Argument usage',
    columns: toColumns(toToolView(view, response)),
    rows: response.arguments,
    keyOf: ({ path }) => path,
  };
  return (
    <ChartPanel
      id="arguments"
      title="Argument usage"
      of={{ server, tool }}
      range={range}
      table={table}
      isTable
      note="names and types; values only of declared enums and defaults, or where they are captured"
    >
      {response.arguments.length === 0 ? (
        <div className="state empty">
          <NotCollected kind="argumentNames" />
        </div>
      ) : (
        <DataTable {...table} />
      )}
    </ChartPanel>
  );
}

function DefaultUsage({ row }: { readonly row: ArgumentStats }) {
  const use = row.default;
  if (use === null) return <NoValue />;
  return (
    <>
      {formatCount(use.omitted)} omitted
      <span className="muted">{use.sent === null ? '' : `, ${formatCount(use.sent)} sent`}</span>
    </>
  );
}

/** The values that may be shown, and the number of those that may not. */
function ArgumentValues({ row: { values, distinct } }: { readonly row: ArgumentStats }) {
  const words = values.map(({ value, count }) => `${value} ${formatCount(count)}`).join(', ');
  const counted =
    distinct &&
    `${distinct.isExact ? '' : 'at least '}${formatPlural(distinct.values, 'value')} in ${formatPlural(distinct.calls, 'call')}`;
  if (!counted) return words ? <span title={words}>{words}</span> : <NoValue text="unknown" />;
  const mostFrequentText = `The most frequent one in ${formatPlural(distinct.mostFrequent, 'call')}`;
  return (
    <span title={[words, mostFrequentText, distinct.isExact ? '' : INEXACT_TITLE].filter(Boolean).join('. ')}>
      {words ? (
        <>
          {words} <span className="muted">of </span>
        </>
      ) : null}
      {counted}
    </span>
  );
}

const INEXACT_TITLE = 'Dates, ids and durations count as one value, so there may be more';

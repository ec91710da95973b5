// How each argument is used: the declaration compared with what agents send.
import { Link } from 'wouter';
import type { ArgumentStats } from '../../../../src/contract/tool.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import type { ExportColumn, ExportTable } from '../../components/data-table.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { toRawShare } from '../../components/table-columns.tsx';
import { Count, Share } from '../../components/values.tsx';
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
  {
    id: 'used',
    header: 'Used',
    align: 'end',
    title: 'Of the calls whose argument names are known',
    cell: ({ used }) => (used.value === 0 ? <span className="muted">never</span> : <Share share={used} />),
    raw: toRawShare('used', ({ used }) => used),
  },
  {
    id: 'invalid',
    header: 'Refused',
    align: 'end',
    title: 'Calls that were refused because of it',
    cell: ({ path, invalid }) =>
      invalid === 0 ? (
        <span className="muted">0</span>
      ) : (
        <Link href={countedCallsPath(view, { errors: 'true', outcome: 'invalid_arguments', argument: path })}>
          <Count value={invalid} />
        </Link>
      ),
    raw: [['refused', ({ invalid }) => invalid]],
  },
  {
    id: 'types',
    header: 'Sent as',
    priority: 3,
    cell: ({ types }) =>
      types.length === 0 ? (
        <span className="muted">–</span>
      ) : (
        types.map(({ type, count }) => `${type} ${formatCount(count)}`).join(', ')
      ),
    raw: [['types', ({ types }) => types.map(({ type, count }) => `${type} ${count}`).join(', ')]],
  },
  {
    id: 'default',
    header: 'At its default',
    align: 'end',
    priority: 4,
    title: 'Calls that left it out, and that sent the very value which is its default',
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
    cell: ({ longestText }) =>
      longestText === 0 ? <span className="muted">–</span> : formatPlural(longestText, 'character'),
    raw: [['longestCharacters', ({ longestText }) => longestText]],
  },
];

export function ArgumentsPanel({ response, view }: ToolPanelProps) {
  const { server, tool, range } = response;
  const table: ExportTable<ArgumentStats> = {
    label: 'Arguments as they are used',
    columns: toColumns(toToolView(view, response)),
    rows: response.arguments,
    keyOf: ({ path }) => path,
  };
  return (
    <ChartPanel
      id="arguments"
      title="Arguments as they are used"
      of={{ server, tool }}
      range={range}
      table={table}
      isTable
      note="names and kinds; values only of declared enums and defaults, or where they are captured"
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
  if (use === null) return <span className="muted">–</span>;
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
  if (!counted) return words ? <span title={words}>{words}</span> : <span className="muted">not known</span>;
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

const INEXACT_TITLE = 'Dates, ids and durations are told apart by nothing, so there may be more';

// How each argument is used: what is declared beside what agents send.
import { Link } from 'wouter';
import type { ArgumentFacts } from '../../../../src/contract/tool.ts';
import { DataTable } from '../../components/data-table.tsx';
import { DrawnPanel } from '../../components/drawn-panel.tsx';
import { rawShare } from '../../components/figure-columns.tsx';
import type { FigureColumn, FigureTable } from '../../components/figure-table.ts';
import { Count, Share } from '../../components/figures.tsx';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { formatCount, formatNoun } from '../../format/format-number.ts';
import { toCalls } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toOwnView } from './to-own-view.ts';
import type { ToolPartProps } from './tool-page.tsx';

const toColumns = (view: View): FigureColumn<ArgumentFacts>[] => [
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
    raw: rawShare('used', ({ used }) => used),
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
        <Link href={toCalls(view, { errors: 'true', outcome: 'invalid_arguments', argument: path })}>
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
    cell: (row) => <AtDefault row={row} />,
    raw: [
      ['defaultOmitted', (row) => row.default?.omitted ?? null],
      ['defaultSent', (row) => row.default?.sent ?? null],
    ],
  },
  {
    id: 'values',
    header: 'Values',
    priority: 3,
    cell: (row) => <Values row={row} />,
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
      longestText === 0 ? <span className="muted">–</span> : formatNoun(longestText, 'character'),
    raw: [['longestCharacters', ({ longestText }) => longestText]],
  },
];

export function ArgumentsPanel({ answer, view }: ToolPartProps) {
  const { server, tool, range } = answer;
  const table: FigureTable<ArgumentFacts> = {
    label: 'Arguments as they are used',
    columns: toColumns(toOwnView(view, answer)),
    rows: answer.arguments,
    keyOf: ({ path }) => path,
  };
  return (
    <DrawnPanel
      id="arguments"
      title="Arguments as they are used"
      of={{ server, tool }}
      range={range}
      table={table}
      isTable
      note="names and kinds; values only of declared enums and defaults, or where they are captured"
    >
      {answer.arguments.length === 0 ? (
        <div className="state empty">
          <NotCollected kind="argumentNames" />
        </div>
      ) : (
        <DataTable {...table} />
      )}
    </DrawnPanel>
  );
}

function AtDefault({ row }: { readonly row: ArgumentFacts }) {
  const use = row.default;
  if (use === null) return <span className="muted">–</span>;
  return (
    <>
      {formatCount(use.omitted)} omitted
      <span className="muted">{use.sent === null ? '' : `, ${formatCount(use.sent)} sent`}</span>
    </>
  );
}

/** Values that may be said, and how many there were of those that may not. */
function Values({ row: { values, distinct } }: { readonly row: ArgumentFacts }) {
  const words = values.map(({ value, count }) => `${value} ${formatCount(count)}`).join(', ');
  const counted =
    distinct &&
    `${distinct.isExact ? '' : 'at least '}${formatNoun(distinct.values, 'value')} in ${formatNoun(distinct.calls, 'call')}`;
  if (!counted) return words ? <span title={words}>{words}</span> : <span className="muted">not known</span>;
  const most = `The most frequent one in ${formatNoun(distinct.mostFrequent, 'call')}`;
  return (
    <span title={[words, most, distinct.isExact ? '' : MASKED].filter(Boolean).join('. ')}>
      {words ? (
        <>
          {words} <span className="muted">of </span>
        </>
      ) : null}
      {counted}
    </span>
  );
}

const MASKED = 'Dates, ids and durations are told apart by nothing, so there may be more';

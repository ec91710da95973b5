// How each argument is used: what is declared beside what agents send.
import { Link } from 'wouter';
import type { ArgumentFacts } from '../../../../src/contract/tool.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Count, Share } from '../../components/figures.tsx';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCount, formatNoun } from '../../format/format-number.ts';
import { callsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toOwnView } from './to-own-view.ts';
import type { ToolPartProps } from './tool-page.tsx';

const toColumns = (view: View): Column<ArgumentFacts>[] => [
  {
    id: 'path',
    header: 'Argument',
    cell: ({ path, isRequired }) => (
      <>
        <code title={path}>{path}</code>
        {isRequired ? <span className="muted"> required</span> : null}
      </>
    ),
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
  },
  {
    id: 'used',
    header: 'Used',
    align: 'end',
    title: 'Of the calls whose argument names are known',
    cell: ({ used }) => (used.value === 0 ? <span className="muted">never</span> : <Share share={used} />),
  },
  {
    id: 'invalid',
    header: 'Refused',
    align: 'end',
    title: 'Calls that were refused because of it',
    cell: ({ invalid }) =>
      invalid === 0 ? (
        <span className="muted">0</span>
      ) : (
        <Link href={callsPath(view, { errors: 'true', outcome: 'invalid_arguments' })}>
          <Count value={invalid} />
        </Link>
      ),
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
  },
  { id: 'values', header: 'Values', priority: 3, cell: (row) => <Values row={row} /> },
  {
    id: 'longest',
    header: 'Longest',
    align: 'end',
    priority: 4,
    cell: ({ longestText }) =>
      longestText === 0 ? <span className="muted">–</span> : formatNoun(longestText, 'character'),
  },
];

export function ArgumentsPanel({ answer, view }: ToolPartProps) {
  return (
    <Panel title="Arguments as they are used" note="names and kinds; values only of declared enums">
      {answer.arguments.length === 0 ? (
        <div className="state empty">
          <NotCollected kind="argumentNames" />
        </div>
      ) : (
        <DataTable
          label="Arguments as they are used"
          columns={toColumns(toOwnView(view, answer))}
          rows={answer.arguments}
          keyOf={({ path }) => path}
        />
      )}
    </Panel>
  );
}

function Values({ row: { values, distinct } }: { readonly row: ArgumentFacts }) {
  if (values.length > 0) {
    const words = values.map(({ value, count }) => `${value} ${formatCount(count)}`).join(', ');
    return <span title={words}>{words}</span>;
  }
  if (!distinct) return <span className="muted">not known</span>;
  return (
    <span title={`The most frequent one in ${formatNoun(distinct.mostFrequent, 'call')}`}>
      {formatNoun(distinct.values, 'value')} in {formatNoun(distinct.calls, 'call')}
    </span>
  );
}

// Tools that are called one after the other, and how often that ended in a failure: what always runs together may be one tool.
import { Link } from 'wouter';
import type { ToolColumnsAnswer } from '../../../../src/contract/tool.ts';
import { DataTable } from '../../components/data-table.tsx';
import { DrawnPanel } from '../../components/drawn-panel.tsx';
import { countColumn, shareColumn, textColumn } from '../../components/figure-columns.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { type Asked, Shell } from '../../components/shell.tsx';
import { formatNoun } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

type Sequence = ToolColumnsAnswer['sequences'][number];

const TITLE = 'Often called one after the other';
const MOST = 8;

interface SequencesPanelProps {
  readonly asked: Asked<ToolColumnsAnswer>;
  readonly view: View;
}

export function SequencesPanel({ asked, view }: SequencesPanelProps) {
  const { data } = asked;
  return (
    <DrawnPanel
      id="sequences"
      title={TITLE}
      note="what always runs together may be one tool"
      range={data?.range}
      table={data && toTable(data.sequences, view)}
    >
      <Shell
        asked={asked}
        rows={3}
        empty={({ sequences }) => (sequences.length > 0 ? undefined : 'No tools follow one another often.')}
      >
        {({ sequences }) => (
          <>
            <DataTable {...toTable(sequences.slice(0, MOST), view)} />
            {sequences.length > MOST ? (
              <p className="more muted">{formatNoun(sequences.length - MOST, 'more')} in the table</p>
            ) : null}
          </>
        )}
      </Shell>
    </DrawnPanel>
  );
}

function toTable(rows: readonly Sequence[], view: View): FigureTable<Sequence> {
  return {
    label: TITLE,
    rows,
    keyOf: ({ server, tools }) => `${server} ${tools.join(' ')}`,
    columns: [
      {
        id: 'tools',
        header: 'Tools',
        cell: (row) => <Tools row={row} view={view} />,
        raw: [['tools', ({ tools }) => tools.join(' > ')]],
      },
      { ...textColumn<Sequence>(['server', 'Server'], ({ server }) => server), priority: 3 },
      { ...countColumn<Sequence>(['sessions', 'Sessions'], ({ sessions }) => sessions), priority: 2 },
      countColumn(['times', 'Times'], ({ count }) => count),
      {
        ...shareColumn<Sequence>(['endedInFailure', 'Ended in a failure'], (row) => row.endedInFailure),
        title: 'How often the last of its calls failed',
      },
    ],
  };
}

function Tools({ row: { server, tools }, view }: { readonly row: Sequence; readonly view: View }) {
  return tools.map((tool, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a tool may stand twice in a sequence
    <span key={at}>
      {at > 0 ? <span className="muted"> → </span> : null}
      <Link href={toolPath(view, { server, tool })}>{tool}</Link>
    </span>
  ));
}

// Tools that are offered and that nobody calls, with what their definitions cost in every listing.
import { useState } from 'react';
import { Link } from 'wouter';
import type { NeverCalledAnswer, NeverCalledTool } from '../../../src/contract/answers.ts';
import { useNeverCalled } from '../api/questions.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Ago, Count } from '../components/figures.tsx';
import { NotCollected } from '../components/not-collected.tsx';
import { Panel } from '../components/panel.tsx';
import { Shell } from '../components/shell.tsx';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { toolPath } from '../paths.ts';
import type { View } from '../view/view.ts';

const toColumns = (view: View): Column<NeverCalledTool>[] => [
  { id: 'tool', header: 'Tool', cell: (row) => <Link href={toolPath(view, row)}>{row.tool}</Link> },
  { id: 'server', header: 'Server', cell: ({ server }) => server },
  {
    id: 'listings',
    header: 'Listings',
    priority: 2,
    align: 'end',
    title: 'How many tools/list answers offered it, in how many sessions',
    cell: ({ listings, sessions }) => (
      <>
        <Count value={listings} />
        {sessions > 0 ? <span className="muted"> in {formatNoun(sessions, 'session')}</span> : null}
      </>
    ),
  },
  {
    id: 'tokens',
    header: 'Tokens each',
    align: 'end',
    title: 'Estimated tokens its definition takes in every listing: characters / 4',
    cell: ({ definitionTokens }) => <>≈ {formatCount(definitionTokens)}</>,
  },
  {
    id: 'similar',
    header: 'Similar to',
    priority: 3,
    title: 'The tool of its server whose name or description is most alike',
    cell: ({ server, similarTo }) =>
      similarTo ? (
        <Link href={toolPath(view, { server, tool: similarTo })}>{similarTo}</Link>
      ) : (
        <span className="muted">no other</span>
      ),
  },
  {
    id: 'since',
    header: 'First seen',
    align: 'end',
    priority: 3,
    cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} />,
  },
];

interface NeverCalledPanelProps {
  readonly view: View;
  /** Rows to show before the rest is asked for; all unless told. */
  readonly most?: number;
}

export function NeverCalledPanel({ view, most = Number.POSITIVE_INFINITY }: NeverCalledPanelProps) {
  const [whole, setWhole] = useState(false);
  const asked = useNeverCalled(view);
  const tools = asked.data?.tools ?? [];
  const tokens = tools.reduce((sum, { definitionTokens }) => sum + definitionTokens, 0);
  return (
    <Panel
      title="Tools never called"
      note={
        tools.length > 0
          ? `${formatNoun(tools.length, 'tool')}, ≈ ${formatCount(tokens)} tokens in every listing`
          : undefined
      }
      className="never-called"
    >
      <Shell asked={asked} rows={5} empty={toSentence}>
        {(answer) => (
          <>
            <DataTable
              label="Tools never called"
              columns={toColumns(view)}
              rows={whole ? answer.tools : answer.tools.slice(0, most)}
              keyOf={({ server, tool }) => `${server} ${tool}`}
            />
            {answer.tools.length > most ? (
              <p className="more">
                <button type="button" className="link" onClick={() => setWhole(!whole)}>
                  {whole ? 'Show fewer' : `All ${answer.tools.length} tools`}
                </button>
              </p>
            ) : null}
            <UnknownCatalogues answer={answer} />
          </>
        )}
      </Shell>
    </Panel>
  );
}

/** Nothing to list is only good news of servers that have listed their tools. */
function toSentence({ tools, unknownCatalogues }: NeverCalledAnswer) {
  if (tools.length > 0) return undefined;
  if (unknownCatalogues.length === 0) return 'Every tool that was listed has been called.';
  const missing = `${unknownCatalogues.join(', ')} never listed ${unknownCatalogues.length === 1 ? 'its' : 'their'} tools, so nothing can be said.`;
  return <NotCollected kind="catalogue" missing={missing} />;
}

function UnknownCatalogues({ answer }: { readonly answer: NeverCalledAnswer }) {
  if (answer.unknownCatalogues.length === 0) return null;
  const missing = `Catalogue unknown: ${answer.unknownCatalogues.join(', ')}.`;
  return (
    <div className="foot-note">
      <NotCollected kind="catalogue" missing={missing} />
    </div>
  );
}

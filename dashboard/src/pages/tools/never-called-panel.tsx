// Offered tools without calls, with the cost of their definitions in every listing.
import { useState } from 'react';
import { Link } from 'wouter';
import type { NeverCalledResponse, NeverCalledTool } from '../../../../src/contract/responses.ts';
import { useNeverCalled } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

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
        {sessions > 0 ? <span className="muted"> in {formatPlural(sessions, 'session')}</span> : null}
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
  /** Rows to show before the button for the rest; all by default. */
  readonly maxRows?: number;
}

export function NeverCalledPanel({ view, maxRows = Number.POSITIVE_INFINITY }: NeverCalledPanelProps) {
  const [whole, setWhole] = useState(false);
  const result = useNeverCalled(view);
  const tools = result.data?.tools ?? [];
  const tokens = tools.reduce((sum, { definitionTokens }) => sum + definitionTokens, 0);
  return (
    <Panel
      title="Tools never called"
      note={
        tools.length > 0
          ? `${formatPlural(tools.length, 'tool')}, ≈ ${formatCount(tokens)} tokens in every listing`
          : undefined
      }
      className="never-called"
    >
      <QueryBoundary result={result} skeletonRows={5} empty={toEmptyContent}>
        {(response) => (
          <>
            <DataTable
              label="Tools never called"
              columns={toColumns(view)}
              rows={whole ? response.tools : response.tools.slice(0, maxRows)}
              keyOf={({ server, tool }) => `${server} ${tool}`}
            />
            {response.tools.length > maxRows ? (
              <p className="more">
                <button type="button" className="link" onClick={() => setWhole(!whole)}>
                  {whole ? 'Show fewer' : `All ${response.tools.length} tools`}
                </button>
              </p>
            ) : null}
            <UnknownCatalogues response={response} />
          </>
        )}
      </QueryBoundary>
    </Panel>
  );
}

/** An empty list is good news only for servers whose tools have been listed. */
function toEmptyContent({ tools, unknownCatalogues }: NeverCalledResponse) {
  if (tools.length > 0) return undefined;
  if (unknownCatalogues.length === 0) return 'Every tool that was listed has been called.';
  const missing = `${unknownCatalogues.join(', ')} never listed ${unknownCatalogues.length === 1 ? 'its' : 'their'} tools, so nothing can be said.`;
  return <NotCollected kind="catalogue" missing={missing} />;
}

function UnknownCatalogues({ response }: { readonly response: NeverCalledResponse }) {
  if (response.unknownCatalogues.length === 0) return null;
  const missing = `Catalogue unknown: ${response.unknownCatalogues.join(', ')}.`;
  return (
    <div className="foot-note">
      <NotCollected kind="catalogue" missing={missing} />
    </div>
  );
}

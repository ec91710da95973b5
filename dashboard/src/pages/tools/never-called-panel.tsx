// Offered tools without calls, with the cost of their definitions in every listing.

import type { NeverCalledResponse, NeverCalledTool } from '../../../../src/contract/tools.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LimitedList } from '../../components/limited-list.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn, nameColumn, serverColumn, toolColumn } from '../../components/table-columns.tsx';
import { Count } from '../../components/values.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';

const toColumns = (view: View): Column<NeverCalledTool>[] => [
  toolColumn(view),
  serverColumn(),
  {
    id: 'listings',
    header: 'Listings',
    priority: 2,
    align: 'end',
    title: 'tools/list responses that offered it',
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
  nameColumn(['similar', 'Similar to'], ({ similarTo }) => similarTo ?? '', {
    priority: 3,
    title: 'The tool of its server with the most similar name or description',
    unknown: 'none',
    link: ({ server, similarTo }) => toolPath(view, { server, tool: similarTo ?? '' }),
  }),
  agoColumn(['since', 'First seen'], ({ firstSeenAt }) => firstSeenAt, { priority: 3 }),
];

interface NeverCalledPanelProps {
  readonly view: View;
  /** Rows to show before the button for the rest; all by default. */
  readonly maxRows?: number;
}

export function NeverCalledPanel({ view, maxRows = Number.POSITIVE_INFINITY }: NeverCalledPanelProps) {
  const result = useResource('neverCalled', toQueryParams(view));
  return (
    <Panel
      title="Tools never called"
      note={describeTokens(result.data?.tools ?? [])}
      className="never-called"
    >
      <QueryBoundary result={result} skeletonRows={5} empty={toEmptyContent}>
        {({ tools, unknownCatalogues }) => (
          <>
            <LimitedList rows={tools} maxRows={maxRows} noun="tools">
              {(shown) => (
                <DataTable
                  label="Tools never called"
                  columns={toColumns(view)}
                  rows={shown}
                  keyOf={toolKey}
                />
              )}
            </LimitedList>
            {unknownCatalogues.length > 0 ? (
              <div className="foot-note">
                <NotCollected
                  kind="catalogue"
                  missing={`Catalogue unknown: ${unknownCatalogues.join(', ')}.`}
                />
              </div>
            ) : null}
          </>
        )}
      </QueryBoundary>
    </Panel>
  );
}

/** A listing holds the tools of one server, so the tokens of several servers are not one cost. */
function describeTokens(tools: readonly NeverCalledTool[]): string | undefined {
  if (tools.length === 0) return undefined;
  const tokens = tools.reduce((sum, { definitionTokens }) => sum + definitionTokens, 0);
  const isOneServer = new Set(tools.map(({ server }) => server)).size === 1;
  const where = isOneServer ? 'in every listing' : 'in all listings together';
  return `${formatPlural(tools.length, 'tool')}, ≈ ${formatCount(tokens)} tokens ${where}`;
}

/** An empty list is good news only for servers whose tools have been listed. */
function toEmptyContent({ tools, unknownCatalogues }: NeverCalledResponse) {
  if (tools.length > 0) return undefined;
  if (unknownCatalogues.length === 0) return 'Every listed tool has been called.';
  const missing = `${unknownCatalogues.join(', ')} never listed ${unknownCatalogues.length === 1 ? 'its' : 'their'} tools, so unused tools are unknown.`;
  return <NotCollected kind="catalogue" missing={missing} />;
}

// The called tools: all of them, or those that fail, are slow or are expensive.

import { useLocation } from 'wouter';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, useViewDescription } from '../../components/empty-state.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { type ToolTab, toolsPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import { useRangeText } from '../../view/use-range-text.ts';
import { useSearchParam } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { prepareErrorGroups } from './prepare-error-groups.ts';
import {
  filterByTab,
  MIN_LONG_DEFINITION_TOKENS,
  MIN_LONG_RESULT_TOKENS,
  MIN_SLOW_MS,
  prepareToolTableRows,
  type ToolTableRow,
} from './prepare-tool-table-rows.ts';
import { SequencesPanel } from './sequences-panel.tsx';
import { toToolColumns } from './tool-columns.tsx';

const DEFAULT_SORTS: Readonly<Partial<Record<ToolTab, string>>> = {
  failing: '-errors',
  slow: '-p95',
  expensive: '-result',
};

interface CalledToolsProps {
  readonly view: View;
  readonly tab: ToolTab | undefined;
}

export function CalledTools({ view, tab }: CalledToolsProps) {
  const tools = useResource('tools', toQueryParams(view));
  const errors = useResource('errors', toQueryParams(view));
  const columns = useResource('toolColumns', toQueryParams(view));
  const [, navigate] = useLocation();
  const range = useRangeText(view);
  const defaultSort = (tab && DEFAULT_SORTS[tab]) ?? '-calls';
  const sort = useSearchParam('sort') ?? defaultSort;
  return (
    <>
      <QueryBoundary
        result={tools}
        skeletonRows={10}
        empty={({ tools }) => (tools.length > 0 ? undefined : <NoCalledTools view={view} />)}
      >
        {(response) => {
          const lines = filterByTab(prepareToolTableRows(response.tools, columns.data?.columns), tab);
          const groups = errors.data ? prepareErrorGroups(errors.data, response.tools) : [];
          return (
            <>
              <h1>{describeCalledTools(lines, { tab, range })}</h1>
              {lines.length > 0 ? (
                <DataTable
                  label="Tools"
                  columns={toToolColumns(tab, { view, groups, withIntervals: tab === 'failing' })}
                  rows={lines}
                  keyOf={toolKey}
                  sort={sort}
                  onSort={(next) =>
                    navigate(toolsPath(view, { tab, sort: next === defaultSort ? undefined : next }))
                  }
                />
              ) : null}
            </>
          );
        }}
      </QueryBoundary>
      {tab === undefined ? <SequencesPanel result={columns} view={view} /> : null}
    </>
  );
}

function NoCalledTools({ view }: { readonly view: View }) {
  const viewDescription = useViewDescription(view);
  return (
    <EmptyState view={view}>
      <p>No tool was called{viewDescription}.</p>
    </EmptyState>
  );
}

interface DescribeCalledToolsOptions {
  readonly tab: ToolTab | undefined;
  readonly range: string;
}

function describeCalledTools(
  lines: readonly ToolTableRow[],
  { tab, range }: DescribeCalledToolsOptions,
): string {
  const count = lines.length;
  if (tab === 'failing') return `${countTools(count)} failed ${range}.`;
  if (tab === 'slow') return `${countTools(count)} with p95 ≥ ${formatDuration(MIN_SLOW_MS)}.`;
  if (tab === 'expensive')
    return `${countTools(count)} with results of p95 ≥ ${formatCount(MIN_LONG_RESULT_TOKENS)} tokens, or definitions of ≥ ${formatCount(MIN_LONG_DEFINITION_TOKENS)}.`;
  const failing = lines.filter(({ errors }) => errors > 0).length;
  const servers = new Set(lines.map(({ server }) => server)).size;
  const called = `${formatPlural(count, 'tool')} of ${formatPlural(servers, 'server')} called ${range}`;
  return failing === 0 ? `${called}, none with an error.` : `${called}, ${failing} with errors.`;
}

function countTools(count: number): string {
  return count === 0 ? 'No tools' : formatPlural(count, 'tool');
}

// Tools that a server no longer lists, and called names that no server ever listed.
import { Link } from 'wouter';
import type { ToolColumnsResponse } from '../../../../src/contract/tool.ts';
import { useToolColumns } from '../../api/tool-queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { countedCallsPath, toolPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';

type RemovedTool = ToolColumnsResponse['removed'][number];
type MissingTool = ToolColumnsResponse['missing'][number];

export function RemovedTools({ view }: { readonly view: View }) {
  const result = useToolColumns(view);
  return (
    <QueryBoundary result={result} skeletonRows={4} empty={() => undefined}>
      {({ removed }) => (
        <>
          <h1>
            {removed.length === 0
              ? 'No tool was taken out of a catalogue that was seen.'
              : `${formatPlural(removed.length, 'tool is', 'tools are')} no longer listed; ${removed.filter(({ calls }) => calls > 0).length} still called.`}
          </h1>
          {removed.length > 0 ? (
            <DataTable label="Removed tools" columns={removedColumns(view)} rows={removed} keyOf={keyOf} />
          ) : null}
        </>
      )}
    </QueryBoundary>
  );
}

export function MissingTools({ view }: { readonly view: View }) {
  const result = useToolColumns(view);
  return (
    <QueryBoundary result={result} skeletonRows={4} empty={() => undefined}>
      {({ missing }) => (
        <>
          <h1>
            {missing.length === 0
              ? 'Agents asked for no tool that does not exist.'
              : `Agents asked for ${formatPlural(missing.length, 'tool')} that no server has.`}
          </h1>
          {missing.length > 0 ? (
            <DataTable
              label="Asked for, missing"
              columns={missingColumns(view)}
              rows={missing}
              keyOf={keyOf}
            />
          ) : null}
        </>
      )}
    </QueryBoundary>
  );
}

const keyOf = ({ server, tool }: { server: string; tool: string }): string => `${server} ${tool}`;

function nameColumns<T extends RemovedTool | MissingTool>(view: View): Column<T>[] {
  return [
    {
      id: 'tool',
      header: 'Tool',
      cell: (row) => <Link href={toolPath(view, row)}>{row.tool}</Link>,
    },
    { id: 'server', header: 'Server', priority: 2, cell: ({ server }) => server },
    {
      id: 'calls',
      header: 'Calls',
      align: 'end',
      title: 'In this range',
      cell: (row) => (
        <Link href={countedCallsPath(toToolView(view, row))}>
          <Count value={row.calls} />
        </Link>
      ),
    },
  ];
}

function removedColumns(view: View): Column<RemovedTool>[] {
  return [
    ...nameColumns<RemovedTool>(view),
    {
      id: 'first',
      header: 'First seen',
      align: 'end',
      priority: 3,
      cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} />,
    },
    {
      id: 'listed',
      header: 'Last listed',
      align: 'end',
      cell: ({ lastListedAt }) => <Ago at={lastListedAt} />,
    },
    {
      id: 'called',
      header: 'Last called',
      align: 'end',
      priority: 2,
      cell: ({ lastCalledAt }) =>
        lastCalledAt ? <Ago at={lastCalledAt} /> : <span className="muted">never</span>,
    },
  ];
}

function missingColumns(view: View): Column<MissingTool>[] {
  return [
    ...nameColumns<MissingTool>(view),
    {
      id: 'nearest',
      header: 'Meant, by its name',
      cell: ({ server, nearest }) =>
        nearest ? (
          <Link href={toolPath(view, { server, tool: nearest })}>{nearest}</Link>
        ) : (
          <span className="muted">nothing alike</span>
        ),
    },
    {
      id: 'clients',
      header: 'Asked by',
      priority: 3,
      cell: ({ clients }) => clients.join(', ') || <span className="muted">unknown</span>,
    },
    {
      id: 'last',
      header: 'Last asked',
      align: 'end',
      priority: 3,
      cell: ({ lastCalledAt }) => <Ago at={lastCalledAt} />,
    },
  ];
}

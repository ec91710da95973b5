// The page of one tool to remove: the verdict and what it rests on, then who calls the tool and its successor.

import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { getSingleValue } from '../../../../src/contract/filter-value.ts';
import type { RetirementCaller, RetirementResponse } from '../../../../src/contract/retirements.ts';
import { useResource } from '../../api/queries.ts';
import { ChartFigure } from '../../charts/chart-figure.tsx';
import { toChartCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn, countColumn, nameColumn, textColumn } from '../../components/table-columns.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { readRetiredTool, toolPath, toolsPath } from '../../paths.ts';
import { useSearchParam, useSetRange, useTableView, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { describeVerdict } from './describe-retirement.ts';
import { prepareCallersChart, toCallerSlot } from './prepare-callers.ts';
import { RetirementFacts } from './retirement-facts.tsx';

const TITLE = 'Calls per day';

export function RetirementPage() {
  const view = useView();
  const id = readRetiredTool(usePathname());
  const server = useSearchParam('of') ?? getSingleValue(view.server) ?? '';
  const result = useResource('retirement', { id, server });
  return (
    <div className="page retirement">
      <Link href={toolsPath(view, { tab: 'retirement' })} className="back">
        All tools to retire
      </Link>
      <QueryBoundary result={result} skeletonRows={8} empty={() => undefined}>
        {(response) => <RetirementContent response={response} view={view} nowMs={result.dataUpdatedAt} />}
      </QueryBoundary>
    </div>
  );
}

interface RetirementContentProps {
  readonly response: RetirementResponse;
  readonly view: View;
  readonly nowMs: number;
}

function RetirementContent({ response, view, nowMs }: RetirementContentProps) {
  const { retirement, callers } = response;
  return (
    <>
      <h1>
        {retirement.tool}: {describeVerdict(retirement)}
      </h1>
      <RetirementFacts retirement={retirement} view={view} />
      {callers.length === 0 ? (
        <p className="muted">Neither it nor its successor was called in the days whose calls are kept.</p>
      ) : (
        <>
          <CallersChart response={response} nowMs={nowMs} />
          <Panel title="Callers" note="In the days whose single calls are kept, most calls first.">
            <DataTable
              label="Callers"
              columns={toCallerColumns(view, response)}
              rows={callers}
              keyOf={({ tool, client, clientVersion }) => JSON.stringify([tool, client, clientVersion])}
            />
          </Panel>
        </>
      )}
    </>
  );
}

function CallersChart({ response, nowMs }: Omit<RetirementContentProps, 'view'>) {
  const tableView = useTableView('callers');
  const onDrag = useSetRange();
  const chart = prepareCallersChart(response, nowMs);
  const { server, tool } = response.retirement;
  return (
    <Panel
      title={TITLE}
      note="Days in UTC, by client and version"
      actions={
        <ChartButtons
          chart={{ id: 'callers', title: TITLE, of: { server, tool }, range: response.counted }}
          toCsv={() => toChartCsv(chart)}
          tableView={tableView}
        />
      }
    >
      <div className="plot">
        <ChartFigure
          asTable={tableView.isShown}
          label={`Calls of ${tool} and its successor per day, by client and version`}
          {...{ chart, onDrag, highlightedKey: undefined, annotations: [] }}
        />
      </div>
    </Panel>
  );
}

function toCallerColumns(
  view: View,
  { callers, retirement: { server } }: RetirementResponse,
): Column<RetirementCaller>[] {
  return [
    {
      id: 'tool',
      header: 'Tool',
      cell: (caller) => (
        <ToolName
          row={{ server, tool: caller.tool }}
          rows={[]}
          slot={toCallerSlot(callers.indexOf(caller))}
          path={toolPath(view, { server, tool: caller.tool })}
        />
      ),
    },
    nameColumn(['client', 'Client'], ({ client }) => client),
    textColumn(['version', 'Version'], ({ clientVersion }) => clientVersion),
    countColumn(['calls', 'Calls'], ({ calls }) => calls),
    countColumn(['errors', 'Errors'], ({ errors }) => errors, { priority: 2 }),
    agoColumn(['first', 'First call'], ({ firstCalledAt }) => firstCalledAt, { priority: 3 }),
    agoColumn(['last', 'Last call'], ({ lastCalledAt }) => lastCalledAt, { priority: 2 }),
  ];
}

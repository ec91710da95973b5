// The agent's side of tool calls: what agents waited beyond the servers, and calls that did not reach one. Loaded when a reader
// scrolls to it.
import { Link } from 'wouter';
import type { AgentSideResponse, AgentToolRow } from '../../../../src/contract/agent-side.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable, type ExportTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import {
  countColumn,
  durationColumn,
  nameColumn,
  serverColumn,
  textColumn,
  toolColumn,
} from '../../components/table-columns.tsx';
import { formatDateTime } from '../../format/format-time.ts';
import { addServerPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useIsNear } from '../../view/use-is-near.ts';
import type { View } from '../../view/view.ts';
import { AgentCallsTable } from './agent-calls-table.tsx';
import { describeAgentSide } from './describe-agent-side.ts';

const TITLE = 'The agent’s side';

export function AgentSidePanel({ view }: { readonly view: View }) {
  const [ref, isNear] = useIsNear<HTMLDivElement>();
  return <div ref={ref}>{isNear ? <LoadedPanel view={view} /> : <Panel title={TITLE}>{null}</Panel>}</div>;
}

function LoadedPanel({ view }: { readonly view: View }) {
  const zone = useZone();
  const result = useResource('agentSide', toQueryParams(view));
  const { data } = result;
  const table = toTable(data?.tools ?? [], view);
  const since = data?.isLimited && data.firstAt ? formatDateTime(Date.parse(data.firstAt), zone) : undefined;
  return (
    <ChartPanel
      id="agent-side"
      title={TITLE}
      note={since === undefined ? undefined : `the newest 10,000 calls, since ${since}`}
      range={data?.range}
      table={data && table}
      isTable
    >
      <QueryBoundary
        result={result}
        skeletonRows={3}
        empty={({ calls }) => (calls > 0 ? undefined : <NoAgentCalls view={view} />)}
      >
        {(response) => <AgentSide response={response} table={table} view={view} />}
      </QueryBoundary>
    </ChartPanel>
  );
}

function NoAgentCalls({ view }: { readonly view: View }) {
  return (
    <p>
      No agent reported its tool calls. Point the OTLP exporter of your agent or its framework (AI SDK,
      OpenInference, Traceloop, Langfuse) to Toolscope, too; its calls are kept apart from those of the
      servers. <Link href={addServerPath(view)}>How to send them</Link>
    </p>
  );
}

interface AgentSideProps {
  readonly response: AgentSideResponse;
  readonly table: ExportTable<AgentToolRow>;
  readonly view: View;
}

function AgentSide({ response, table, view }: AgentSideProps) {
  return (
    <>
      <p>{describeAgentSide(response)}</p>
      {table.rows.length > 0 ? <DataTable {...table} /> : null}
      {response.notable.length > 0 ? (
        <>
          <h3>Not reached, or failed after the server’s success</h3>
          <AgentCallsTable
            label="Calls that did not reach the server, or failed after its success"
            calls={response.notable}
            view={view}
          />
        </>
      ) : null}
    </>
  );
}

function toTable(rows: readonly AgentToolRow[], view: View): ExportTable<AgentToolRow> {
  return {
    label: TITLE,
    rows,
    keyOf: ({ agent, emitter, server, tool }) => JSON.stringify([agent, emitter, server, tool]),
    columns: [
      nameColumn(['agent', 'Agent'], ({ agent }) => agent),
      textColumn(['emitter', 'Reported by'], ({ emitter }) => emitter, { priority: 3 }),
      serverColumn({ priority: 3 }),
      toolColumn(view),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      durationColumn(['waitedP50Ms', 'Waited p50'], ({ waitedP50Ms }) => waitedP50Ms, {
        n: ({ joined }) => joined,
        priority: 2,
      }),
      durationColumn(['serverP50Ms', 'Server p50'], ({ serverP50Ms }) => serverP50Ms, {
        n: ({ joined }) => joined,
        priority: 3,
      }),
      durationColumn(['beyondP95Ms', 'Beyond p95'], ({ beyondP95Ms }) => beyondP95Ms, {
        n: ({ joined }) => joined,
      }),
      countColumn(['unreached', 'Not reached'], ({ unreached }) => unreached, { priority: 2 }),
      countColumn(
        ['failedAfterSuccess', 'Failed after success'],
        ({ failedAfterSuccess }) => failedAfterSuccess,
        { priority: 3 },
      ),
    ],
  };
}

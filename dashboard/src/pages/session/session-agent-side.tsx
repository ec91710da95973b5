// The calls of one session as its agent reports them; loaded when a reader asks for it.
import type { SessionAgentSideResponse } from '../../../../src/contract/agent-side.ts';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import { useResource } from '../../api/queries.ts';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatPlural } from '../../format/format-number.ts';
import type { View } from '../../view/view.ts';
import { AgentCallsTable } from '../clients/agent-calls-table.tsx';

interface SessionAgentSideProps {
  readonly session: SessionRow;
  readonly view: View;
}

export function SessionAgentSide({ session: { sessionId, server }, view }: SessionAgentSideProps) {
  const result = useResource('sessionAgentSide', { id: sessionId, server });
  return (
    <Panel title="The agent’s side">
      <QueryBoundary
        result={result}
        skeletonRows={3}
        empty={({ calls }) => (calls > 0 ? undefined : <NoAgentCalls />)}
      >
        {(response) => (
          <>
            <p>{describe(response)}</p>
            <AgentCallsTable
              label="Calls as the agent reports them"
              calls={response.agentCalls}
              view={{ ...view, server }}
            />
          </>
        )}
      </QueryBoundary>
    </Panel>
  );
}

function NoAgentCalls() {
  return (
    <p>
      The agent of this session reported no tool calls with its traces. Point the OTLP exporter of the agent
      to Toolscope, too.
    </p>
  );
}

function describe({
  joined,
  waitedMs,
  serverMs,
  beyondMs,
  unreached,
  failedAfterSuccess,
}: SessionAgentSideResponse) {
  const parts = [
    `The agent waited ${formatDuration(waitedMs)} for ${formatPlural(joined, 'call')}, ${formatDuration(beyondMs)} beyond the ${formatDuration(serverMs)} of the server`,
    ...(unreached > 0 ? [`${formatPlural(unreached, 'call')} did not reach the server`] : []),
    ...(failedAfterSuccess > 0
      ? [`${formatPlural(failedAfterSuccess, 'call')} failed for the agent after the server’s success`]
      : []),
  ];
  return `${parts.join('; ')}.`;
}

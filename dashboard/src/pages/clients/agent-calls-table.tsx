// Single calls of agents, each with the time of the server's call it became.
import { Link } from 'wouter';
import type { AgentCallRow } from '../../../../src/contract/agent-side.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { durationColumn, nameColumn, textColumn, timeColumn } from '../../components/table-columns.tsx';
import { callsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import type { View } from '../../view/view.ts';
import { describeAgentCall } from './describe-agent-side.ts';

interface AgentCallsTableProps {
  readonly label: string;
  readonly calls: readonly AgentCallRow[];
  readonly view: View;
}

export function AgentCallsTable({ label, calls, view }: AgentCallsTableProps) {
  const zone = useZone();
  const columns: Column<AgentCallRow>[] = [
    timeColumn(['startedAt', 'Time'], ({ startedAt }) => startedAt, { zone }),
    nameColumn(['agent', 'Agent'], ({ agent }) => agent, { priority: 3 }),
    textColumn(['agentTool', 'Tool'], ({ agentTool }) => agentTool),
    durationColumn(['waitedMs', 'Waited'], ({ waitedMs }) => waitedMs, { priority: 3 }),
    durationColumn(['serverMs', 'Server'], ({ serverMs }) => serverMs, { priority: 3 }),
    durationColumn(['beyondMs', 'Beyond'], ({ beyondMs }) => beyondMs, { priority: 2 }),
    {
      id: 'state',
      header: 'What happened',
      cell: (call) => <State call={call} view={view} />,
    },
  ];
  return (
    <DataTable
      label={label}
      rows={calls}
      columns={columns}
      keyOf={({ traceId, spanId }) => traceId + spanId}
    />
  );
}

function State({ call, view }: { readonly call: AgentCallRow; readonly view: View }) {
  const text = describeAgentCall(call);
  if (call.serverCall === null) return <span className="wrap muted">{text}</span>;
  return (
    <Link className="wrap" href={callsPath(view, { call: call.serverCall })}>
      {text}
    </Link>
  );
}

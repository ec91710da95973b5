// The same agent on other servers: the sessions that share a trace or conversation id with this one. Hidden if there
// are none.
import { Link } from 'wouter';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import { useResource } from '../../api/queries.ts';
import { DeferredPanel } from '../../components/deferred-panel.tsx';
import { Panel } from '../../components/panel.tsx';
import { agentPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { AgentSessionsTable } from '../agent/agent-tables.tsx';
import { describeJoins } from '../agent/describe-agent.ts';

const TITLE = 'The same agent elsewhere';

interface SameAgentPanelProps {
  readonly session: SessionRow;
  readonly view: View;
}

export function SameAgentPanel({ session: { sessionId, server }, view }: SameAgentPanelProps) {
  const result = useResource('sessionAgent', { id: sessionId, server, limit: '1' });
  const { data } = result;
  if (!data) return <DeferredPanel result={result} title={TITLE} />;
  const [, ...others] = data.sessions;
  if (others.length === 0) return null;
  return (
    <Panel
      title={TITLE}
      note={`joined by ${describeJoins(others)}`}
      actions={
        <Link className="button" href={agentPath(view, { id: sessionId, of: server })}>
          One timeline
        </Link>
      }
    >
      <AgentSessionsTable sessions={others} view={view} />
    </Panel>
  );
}

// The page of one agent on several servers: its sessions with what joins them, and their calls as one timeline.
// Shows the complete sessions, independent of the range.

import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { CallRow } from '../../../../src/contract/calls.ts';
import { getSingleValue } from '../../../../src/contract/filter-value.ts';
import type { JoinedSession } from '../../../../src/contract/sessions.ts';
import { usePagedResource } from '../../api/queries.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { readAgentSession, sessionPath } from '../../paths.ts';
import { useSearchParam, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { AgentCallsTable, AgentSessionsTable } from './agent-tables.tsx';
import { describeAgent } from './describe-agent.ts';

const CALLS_PER_PAGE = '200';

export function AgentPage() {
  const view = useView();
  const id = readAgentSession(usePathname());
  const server = useSearchParam('of') ?? getSingleValue(view.server);
  const result = usePagedResource('sessionAgent', { id, server, limit: CALLS_PER_PAGE });
  return (
    <div className="page agent">
      <Link href={sessionPath(view, { id, of: server ?? '' })} className="back">
        The session
      </Link>
      <QueryBoundary result={result} skeletonRows={8} empty={() => undefined}>
        {({ pages }) => {
          const [first] = pages;
          const calls = pages.flatMap((page) => page.calls);
          if (!first) return null;
          return (
            <>
              <h1>{describeAgent(first.sessions, first.total)}</h1>
              <AgentContent sessions={first.sessions} calls={calls} view={view} />
              <MoreButton
                countText={`${formatCount(calls.length)} of ${formatPlural(first.total, 'call')}`}
                hasMore={result.hasNextPage}
                isLoading={result.isFetchingNextPage}
                onMore={result.fetchNextPage}
              />
            </>
          );
        }}
      </QueryBoundary>
    </div>
  );
}

interface AgentContentProps {
  readonly sessions: readonly JoinedSession[];
  readonly calls: readonly CallRow[];
  readonly view: View;
}

function AgentContent({ sessions, calls, view }: AgentContentProps) {
  return (
    <>
      <Panel
        title="Sessions"
        note="They share a trace id or a conversation id; sessions are never joined because they happened at the same time."
      >
        <AgentSessionsTable sessions={sessions} view={view} />
      </Panel>
      <Panel title="Timeline" note="The tool calls of these sessions in order, oldest first.">
        <AgentCallsTable calls={calls} view={view} />
      </Panel>
    </>
  );
}

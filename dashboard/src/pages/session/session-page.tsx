// The page of one agent run: a sentence, its loops, a strip with a lane per tool, and its calls in order as a
// waterfall with repeats folded. Shows the complete session, independent of the range.

import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { getSingleValue } from '../../../../src/contract/filter-value.ts';
import type { SessionCallRow, SessionResponse } from '../../../../src/contract/sessions.ts';
import { useSession } from '../../api/queries.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SegmentedLinks } from '../../components/segmented-control.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import {
  readSessionId,
  SESSION_PARAMETERS,
  type SessionState,
  sessionPath,
  sessionsPath,
} from '../../paths.ts';
import { findCallKey } from '../../view/call-key.ts';
import { usePageState, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { CallTimeline } from './call-timeline.tsx';
import { describeSession } from './describe-session.ts';
import { LanesPanel } from './lanes-panel.tsx';
import { prepareRuns } from './prepare-runs.ts';
import { isCountedCall } from './prepare-timeline-rows.ts';
import { SameAgentPanel } from './same-agent-panel.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionAgentSide } from './session-agent-side.tsx';
import { SessionFacts } from './session-facts.tsx';
import { SessionLoops } from './session-loops.tsx';

/** The most pages that are loaded automatically to find the call of the URL; each holds a thousand calls. */
const MAX_PAGES = 10;

export function SessionPage() {
  const view = useView();
  const id = readSessionId(usePathname());
  const { of = getSingleValue(view.server), ...layout } = usePageState(SESSION_PARAMETERS);
  const state: SessionState = { ...layout, id, of: of ?? '' };
  const result = useSession(id, of);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = result;
  const isMissing =
    state.call !== undefined &&
    data?.pages.some(({ calls }) => findCallKey(calls, state.call) !== undefined) === false;
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetchingNextPage && pages < MAX_PAGES) void fetchNextPage();
  }, [isMissing, hasNextPage, isFetchingNextPage, pages, fetchNextPage]);
  return (
    <div className="page session">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      <QueryBoundary result={result} skeletonRows={10} empty={({ pages: [first] }) => findEmptyText(first)}>
        {({ pages: responses }) => {
          const [first] = responses;
          const calls = responses.flatMap((page) => page.calls);
          if (!first) return null;
          return (
            <>
              <SessionContent response={first} calls={calls} view={view} state={state} />
              <MoreButton
                countText={`${formatCount(calls.length)} of ${formatPlural(first.session.requests, 'request')}`}
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

function findEmptyText(page: SessionResponse | undefined): string | undefined {
  return page && page.calls.length > 0
    ? undefined
    : 'No calls of this session are stored; their retention may have expired.';
}

interface SessionContentProps {
  readonly response: SessionResponse;
  readonly calls: readonly SessionCallRow[];
  readonly view: View;
  readonly state: SessionState;
}

function SessionContent({ response, calls, view, state: given }: SessionContentProps) {
  const { session, loops } = response;
  const [showsAgentSide, setShowsAgentSide] = useState(false);
  const state = { ...given, call: findCallKey(calls, given.call) ?? given.call };
  const counted = calls.filter(isCountedCall);
  // A session without tool calls has nothing else to show.
  const shown = state.others || counted.length === 0 ? calls : counted;
  const others = calls.length - counted.length;
  return (
    <>
      <h1>{describeSession(session, prepareRuns(counted))}</h1>
      <SessionFacts response={response} calls={calls} view={view} />
      <SessionLoops response={response} view={view} />
      <SameAgentPanel session={session} view={view} />
      <div className="toolbar">
        <SessionSwitches view={view} state={state} others={counted.length === 0 ? 0 : others} />
        <button type="button" className="button" onClick={() => setShowsAgentSide(!showsAgentSide)}>
          {showsAgentSide ? 'Hide' : 'Show'} the agent’s side
        </button>
        <SessionActions response={response} calls={calls} />
      </div>
      {showsAgentSide ? <SessionAgentSide session={session} view={view} /> : null}
      <LanesPanel calls={shown} session={session} spacing={state.spacing} />
      <CallTimeline calls={shown} loops={loops} session={session} state={state} view={view} />
    </>
  );
}

interface SessionSwitchesProps {
  readonly view: View;
  readonly state: SessionState;
  /** Number of requests other than tool calls; 0 hides the switch. */
  readonly others: number;
}

function SessionSwitches({ view, state, others }: SessionSwitchesProps) {
  const to = (change: Partial<SessionState>): string => sessionPath(view, { ...state, ...change });
  return (
    <>
      <SegmentedLinks
        label="Spacing"
        replace
        links={[
          { text: 'By call', path: to({ spacing: undefined }), isCurrent: !state.spacing },
          { text: 'By time', path: to({ spacing: 'time' }), isCurrent: state.spacing === 'time' },
        ]}
      />
      {others > 0 ? (
        <Link className="button" href={to({ others: state.others ? undefined : 'true' })} replace>
          {state.others ? 'Hide' : 'Show'} {formatPlural(others, 'other request')}
        </Link>
      ) : null}
    </>
  );
}

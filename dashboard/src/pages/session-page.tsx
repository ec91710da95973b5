// What one agent run did: a sentence, its loops, the run as one strip with a lane per tool, and its calls in order as a
// waterfall with repeats folded. The session is whole, whatever the range.
import { useEffect } from 'react';
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { SessionAnswer, SessionCallRow } from '../../../src/contract/answers.ts';
import { useSession } from '../api/questions.ts';
import { MoreButton } from '../components/more-button.tsx';
import { Shell } from '../components/shell.tsx';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { readSessionId, type SessionState, sessionsPath } from '../paths.ts';
import { useOwn, useOwnChoice, useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { formatSession } from './format-session.ts';
import { keyOf } from './prepare-comparison.ts';
import { prepareRuns } from './prepare-runs.ts';
import { isCounted } from './prepare-session-lines.ts';
import { RunList } from './run-list.tsx';
import { RunPanel } from './run-panel.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionFacts } from './session-facts.tsx';
import { SessionLoops } from './session-loops.tsx';
import { SessionSwitches } from './session-switches.tsx';

/** Pages that are turned by themselves to find the call of the address; each holds a thousand. */
const MOST_PAGES = 10;

export function SessionPage() {
  const view = useView();
  const id = readSessionId(usePathname());
  const of = useOwn('of') ?? view.server;
  const state: SessionState = {
    id,
    of: of ?? '',
    call: useOwn('call'),
    spacing: useOwnChoice('spacing', ['time']),
    others: useOwnChoice('others', ['true']),
  };
  const asked = useSession(id, of);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = asked;
  const isMissing =
    state.call !== undefined &&
    data?.pages.some(({ calls }) => calls.some((c) => keyOf(c) === state.call)) === false;
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetchingNextPage && pages < MOST_PAGES) void fetchNextPage();
  }, [isMissing, hasNextPage, isFetchingNextPage, pages, fetchNextPage]);
  return (
    <div className="page session">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      <Shell asked={asked} rows={10} empty={({ pages: [first] }) => toEmpty(first)}>
        {({ pages: answers }) => {
          const [first] = answers;
          const calls = answers.flatMap((page) => page.calls);
          if (!first) return null;
          return (
            <>
              <Told answer={first} calls={calls} view={view} state={state} />
              <MoreButton
                shown={`${formatCount(calls.length)} of ${formatNoun(first.session.requests, 'request')}`}
                hasMore={asked.hasNextPage}
                isLoading={asked.isFetchingNextPage}
                onMore={asked.fetchNextPage}
              />
            </>
          );
        }}
      </Shell>
    </div>
  );
}

function toEmpty(page: SessionAnswer | undefined): string | undefined {
  return page && page.calls.length > 0
    ? undefined
    : 'This session has no calls in the store; they may be past retention.';
}

interface ToldProps {
  readonly answer: SessionAnswer;
  readonly calls: readonly SessionCallRow[];
  readonly view: View;
  readonly state: SessionState;
}

function Told({ answer, calls, view, state }: ToldProps) {
  const { session, loops } = answer;
  const counted = calls.filter(isCounted);
  // A session that called nothing has nothing else to show.
  const shown = state.others || counted.length === 0 ? calls : counted;
  const others = calls.length - counted.length;
  return (
    <>
      <h1>{formatSession(session, prepareRuns(counted))}</h1>
      <SessionFacts answer={answer} calls={calls} view={view} />
      <SessionLoops answer={answer} view={view} />
      <div className="toolbar">
        <SessionSwitches view={view} state={state} others={counted.length === 0 ? 0 : others} />
        <SessionActions answer={answer} calls={calls} />
      </div>
      <RunPanel calls={shown} session={session} spacing={state.spacing} />
      <RunList calls={shown} loops={loops} session={session} state={state} view={view} />
    </>
  );
}

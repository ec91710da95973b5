// What one agent run did: a sentence, the run as one strip with a lane per tool, and its calls in order with repeats
// folded.
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { CallRow, SessionAnswer, SessionRow } from '../../../src/contract/answers.ts';
import { useSession } from '../api/questions.ts';
import { Ago, Id } from '../components/figures.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { SourceMark } from '../components/outcome.tsx';
import { Shell } from '../components/shell.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount, formatNoun, formatRate } from '../format/format-number.ts';
import { callsPath, readSessionId, sessionsPath } from '../paths.ts';
import { useOwn, useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { formatSession } from './format-session.ts';
import { prepareRuns } from './prepare-runs.ts';
import { RunList } from './run-list.tsx';
import { RunStrip } from './run-strip.tsx';
import { SessionLoops } from './session-loops.tsx';

export function SessionPage() {
  const view = useView();
  const id = readSessionId(usePathname());
  const asked = useSession(id, useOwn('of') ?? view.server);
  return (
    <div className="page session">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      <Shell asked={asked} rows={10} empty={({ pages }) => toEmpty(pages[0])}>
        {({ pages }) => {
          const [first] = pages;
          const calls = pages.flatMap((page) => page.calls);
          if (!first) return null;
          const { session } = first;
          return (
            <>
              <Told answer={first} calls={calls} view={view} />
              <MoreButton
                shown={`${formatCount(calls.length)} of ${formatNoun(session.requests, 'request')}`}
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
  readonly calls: readonly CallRow[];
  readonly view: View;
}

function Told({ answer, calls, view }: ToldProps) {
  const { session } = answer;
  const runs = prepareRuns(calls);
  return (
    <>
      <h1>{formatSession(session, runs)}</h1>
      <Facts session={session} view={view} />
      <SessionLoops answer={answer} view={view} />
      <RunStrip calls={calls} />
      <RunList runs={runs} session={session} />
    </>
  );
}

function Facts({ session, view }: { readonly session: SessionRow; readonly view: View }) {
  const { sessionId, server, client, planId, startedAt, endedAt, calls, errors } = session;
  return (
    <dl className="facts">
      <Fact name="Session">
        <Id id={sessionId} what="session id" length={22} />
      </Fact>
      <Fact name="Known by">
        <SourceMark session={session} />
      </Fact>
      <Fact name="Server">{server}</Fact>
      <Fact name="Client">{client || 'unknown'}</Fact>
      {planId ? (
        <Fact name="Plan">
          <Id id={planId} what="plan id" />
        </Fact>
      ) : null}
      <Fact name="Began">
        <Ago at={startedAt} />
      </Fact>
      <Fact name="Lasted">{formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</Fact>
      <Fact name="Errors">
        {errors === 0 ? (
          '0'
        ) : (
          <Link href={callsPath({ ...view, server }, { session: sessionId, errors: 'true' })}>
            {formatCount(errors)} of {formatNoun(calls, 'call')} (
            {formatRate(calls === 0 ? null : errors / calls)})
          </Link>
        )}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

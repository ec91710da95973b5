// What agents did, one run a row: whole-session counts, and how far each can be trusted to be one run.
import { Link } from 'wouter';
import { useSessions } from '../api/questions.ts';
import { DataTable } from '../components/data-table.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Nothing, useNothingWords } from '../components/nothing.tsx';
import { Shell } from '../components/shell.tsx';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import { type SessionsState, sessionsPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';
import { useOwn, useOwnChoice, useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { OVER_THIRTY } from './long-sessions-panel.tsx';
import { sessionColumns } from './session-columns.tsx';

export function SessionsPage() {
  const view = useView();
  const state: SessionsState = { minCalls: useOwn('minCalls'), order: useOwnChoice('order', ['calls']) };
  const asked = useSessions(view, state);
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  return (
    <div className="page">
      <div className="toolbar">
        <Chips view={view} state={state} />
      </div>
      <Shell
        asked={asked}
        rows={10}
        empty={({ pages }) =>
          (pages[0]?.sessions.length ?? 0) > 0 ? undefined : <NoSession state={state} view={view} />
        }
      >
        {({ pages }) => {
          const sessions = pages.flatMap((page) => page.sessions);
          const total = pages[0]?.total ?? sessions.length;
          return (
            <>
              <h1>
                {formatNoun(total, 'session')}
                {toAtLeast(state)} {range}.
              </h1>
              <DataTable
                label="Sessions"
                columns={sessionColumns(view, [
                  'session',
                  'source',
                  'server',
                  'client',
                  'calls',
                  'requests',
                  'errors',
                  'tools',
                  'duration',
                  'started',
                ])}
                rows={sessions}
                keyOf={({ server, source, sessionId }) => `${server} ${source} ${sessionId}`}
              />
              <MoreButton
                shown={`${formatCount(sessions.length)} of ${formatCount(total)}`}
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

function NoSession({ state, view }: ChipsProps) {
  const words = useNothingWords(view);
  return (
    <Nothing view={view} unfiltered={state.minCalls ? sessionsPath(view) : undefined}>
      <p>
        No session{toAtLeast(state)} had a request{words}.
      </p>
    </Nothing>
  );
}

function toAtLeast({ minCalls }: SessionsState): string {
  if (!minCalls) return '';
  return Number(minCalls) === OVER_THIRTY ? ' over thirty calls' : ` with ${minCalls} calls or more`;
}

interface ChipsProps {
  readonly view: View;
  readonly state: SessionsState;
}

function Chips({ view, state }: ChipsProps) {
  const overThirty = String(OVER_THIRTY);
  return (
    <>
      <nav className="segments" aria-label="Which sessions">
        <Link
          href={sessionsPath(view, { ...state, minCalls: undefined })}
          aria-current={state.minCalls ? undefined : 'true'}
        >
          All
        </Link>
        <Link
          href={sessionsPath(view, { ...state, minCalls: overThirty })}
          aria-current={state.minCalls === overThirty ? 'true' : undefined}
        >
          Over 30 calls
        </Link>
      </nav>
      <nav className="segments" aria-label="Order">
        <Link
          href={sessionsPath(view, { ...state, order: undefined })}
          aria-current={state.order ? undefined : 'true'}
        >
          Most recent
        </Link>
        <Link
          href={sessionsPath(view, { ...state, order: 'calls' })}
          aria-current={state.order === 'calls' ? 'true' : undefined}
        >
          Most calls
        </Link>
      </nav>
    </>
  );
}

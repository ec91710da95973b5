// What agents did, one run a row: whole-session counts, and how far each can be trusted to be one run. Chips narrow the list to
// what went wrong; below it stand the clients that connect and call nothing.
import { Link } from 'wouter';
import type { SessionRow } from '../../../src/contract/answers.ts';
import type { SessionCountsAnswer } from '../../../src/contract/session-counts.ts';
import { useSessionCounts, useSessions } from '../api/questions.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Count } from '../components/figures.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Nothing, useNothingWords } from '../components/nothing.tsx';
import { Shell } from '../components/shell.tsx';
import { shortenMiddle } from '../format/format-id.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import { comparedPath, type SessionName, type SessionsState, sessionsPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';
import { useOwn, useOwnChoice, useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { formatCut, formatKindWords, prepareChips } from './prepare-session-kinds.ts';
import { sessionColumns } from './session-columns.tsx';
import { SessionHistogram } from './session-histogram.tsx';
import { UncalledPanel } from './uncalled-panel.tsx';

const COLUMNS = [
  ...(['session', 'started', 'client', 'server', 'calls', 'errors', 'loops'] as const),
  ...(['tools', 'duration', 'outcome', 'source'] as const),
] as const;

/** What tells two sessions apart, with room for a choice beside it on a phone. */
const PICKING_COLUMNS = ['session', 'client', 'server', 'calls', 'outcome', 'started'] as const;

export function SessionsPage() {
  const view = useView();
  const state = useSessionsState();
  const picked = usePicked();
  const nothingWords = useNothingWords(view);
  const asked = useSessions(view, state);
  const counts = useSessionCounts(view);
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  const { order, ...kind } = state;
  const words = formatKindWords(kind);
  return (
    <div className="page sessions">
      <div className="toolbar">
        <Chips view={view} state={state} picked={picked} counts={counts.data} />
        <Orders view={view} state={state} picked={picked} />
      </div>
      {picked ? <Picking view={view} state={state} picked={picked} /> : null}
      <Shell
        asked={asked}
        rows={10}
        empty={({ pages }) =>
          (pages[0]?.sessions.length ?? 0) > 0 ? undefined : (
            <Nothing view={view} unfiltered={sessionsPath(view)}>
              <p>
                No session{words}
                {nothingWords}.
              </p>
            </Nothing>
          )
        }
      >
        {({ pages }) => {
          const [first] = pages;
          const sessions = pages.flatMap((page) => page.sessions);
          const total = first?.total ?? sessions.length;
          return (
            <>
              <h1>
                {formatNoun(total, 'session')}
                {words} {range}.
              </h1>
              <DataTable
                label="Sessions"
                columns={[
                  ...sessionColumns(view, picked ? PICKING_COLUMNS : COLUMNS, first?.range),
                  toCompareColumn({ view, state, picked }),
                ]}
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
      <Shell asked={counts} rows={4} empty={() => undefined}>
        {(answer) => (
          <div className="below">
            {answer.cut > 0 ? <p className="muted foot-note">{formatCut(answer.cut)}</p> : null}
            {answer.total > 0 ? (
              <div className="pair">
                <SessionHistogram counts={answer} view={view} />
                <UncalledPanel counts={answer} view={view} />
              </div>
            ) : null}
          </div>
        )}
      </Shell>
    </div>
  );
}

function useSessionsState(): SessionsState {
  return {
    minCalls: useOwn('minCalls'),
    maxCalls: useOwn('maxCalls'),
    looping: useOwnChoice('looping', ['true']),
    failed: useOwnChoice('failed', ['all']),
    ended: useOwnChoice('ended', ['error']),
    paused: useOwnChoice('paused', ['true']),
    booting: useOwnChoice('booting', ['true']),
    order: useOwnChoice('order', ['calls', 'errors', 'duration']),
  };
}

/** The session that another one is sought for, to be compared with. */
function usePicked(): SessionName | undefined {
  const [id, of] = [useOwn('beside'), useOwn('besideOf')];
  return id && of ? { id, of } : undefined;
}

interface ChipsProps {
  readonly view: View;
  readonly state: SessionsState;
  readonly picked: SessionName | undefined;
}

function Picking({ view, state, picked }: ChipsProps & { readonly picked: SessionName }) {
  return (
    <p className="picking" role="status">
      <span>
        Which session shall stand beside <code title={picked.id}>{shortenMiddle(picked.id)}</code>?
      </span>
      <Link className="button" href={sessionsPath(view, state)}>
        None of them
      </Link>
    </p>
  );
}

/** The first link picks a session, the second one leads to both. */
function toCompareColumn({ view, state, picked }: ChipsProps): Column<SessionRow> {
  return {
    id: 'compare',
    header: 'Compare',
    align: 'end',
    priority: picked ? 1 : 4,
    cell: ({ sessionId, server }) => {
      const own = { id: sessionId, of: server };
      if (picked?.id === sessionId && picked.of === server) return <span className="muted">this one</span>;
      return picked ? (
        <Link
          href={comparedPath(view, [picked, own])}
          aria-label={`Compare ${shortenMiddle(sessionId)} with it`}
        >
          with it
        </Link>
      ) : (
        <Link
          className="muted"
          href={sessionsPath(view, state, own)}
          aria-label="Compare with another session"
        >
          with…
        </Link>
      );
    },
  };
}

function Chips({
  view,
  state: { order, ...kind },
  picked,
  counts,
}: ChipsProps & { readonly counts: SessionCountsAnswer | undefined }) {
  const chips = prepareChips(kind, counts);
  return (
    <nav className="segments wrapping" aria-label="Which sessions">
      {chips.map(({ label, asks, count, isChosen, title }) => (
        <Link
          key={label}
          href={sessionsPath(view, { ...asks, order }, picked)}
          aria-current={isChosen ? 'true' : undefined}
          title={title}
        >
          {label}
          {count === undefined ? null : (
            <span className="count">
              <Count value={count} />
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}

const ORDERS: readonly (readonly [SessionsState['order'], string])[] = [
  [undefined, 'Most recent'],
  ['calls', 'Most calls'],
  ['errors', 'Most errors'],
  ['duration', 'Longest'],
];

function Orders({ view, state, picked }: ChipsProps) {
  return (
    <nav className="segments" aria-label="Order">
      {ORDERS.map(([order, label]) => (
        <Link
          key={label}
          href={sessionsPath(view, { ...state, order }, picked)}
          aria-current={state.order === order ? 'true' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

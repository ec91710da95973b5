// The sessions page: one agent run per row, with whole-session counts and the confidence in its session id.
// Chips filter the list; below it are the clients that connect and call nothing.
import { Link } from 'wouter';
import type { SessionRow } from '../../../../src/contract/responses.ts';
import type { SessionCountsResponse } from '../../../../src/contract/session-counts.ts';
import { useSessionCounts, useSessions } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState, useViewDescription } from '../../components/empty-state.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Count } from '../../components/values.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { formatRange } from '../../format/format-range.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { type SessionRef, type SessionsState, sessionComparisonPath, sessionsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';
import { useSearchParam, useSearchParamChoice, useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import {
  describeSessionFilter,
  describeSessionsBeyondRange,
  prepareSessionKindChips,
} from './prepare-session-kinds.ts';
import { toSessionColumns } from './session-columns.tsx';
import { SessionHistogram } from './session-histogram.tsx';
import { UncalledSessionsPanel } from './uncalled-sessions-panel.tsx';

const COLUMNS = [
  ...(['session', 'started', 'client', 'server', 'calls', 'errors', 'loops'] as const),
  ...(['tools', 'duration', 'outcome', 'source'] as const),
] as const;

/** The columns that distinguish two sessions, narrow enough for a selection column on a phone. */
const COMPARISON_COLUMNS = ['session', 'client', 'server', 'calls', 'outcome', 'started'] as const;

export function SessionsPage() {
  const view = useView();
  const state = useSessionsState();
  const compareWith = useCompareWith();
  const viewDescription = useViewDescription(view);
  const result = useSessions(view, state);
  const counts = useSessionCounts(view);
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  const { order, ...kind } = state;
  const kindSuffix = describeSessionFilter(kind);
  return (
    <div className="page sessions">
      <div className="toolbar">
        <SessionKindLinks view={view} state={state} compareWith={compareWith} counts={counts.data} />
        <OrderLinks view={view} state={state} compareWith={compareWith} />
      </div>
      {compareWith ? <ComparisonPrompt view={view} state={state} compareWith={compareWith} /> : null}
      <QueryBoundary
        result={result}
        skeletonRows={10}
        empty={({ pages }) =>
          (pages[0]?.sessions.length ?? 0) > 0 ? undefined : (
            <EmptyState view={view} unfilteredPath={sessionsPath(view)}>
              <p>
                No session{kindSuffix}
                {viewDescription}.
              </p>
            </EmptyState>
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
                {formatPlural(total, 'session')}
                {kindSuffix} {range}.
              </h1>
              <DataTable
                label="Sessions"
                columns={[
                  ...toSessionColumns(view, compareWith ? COMPARISON_COLUMNS : COLUMNS, first?.range),
                  toCompareColumn({ view, state, compareWith }),
                ]}
                rows={sessions}
                keyOf={({ server, source, sessionId }) => `${server} ${source} ${sessionId}`}
              />
              <MoreButton
                countText={`${formatCount(sessions.length)} of ${formatCount(total)}`}
                hasMore={result.hasNextPage}
                isLoading={result.isFetchingNextPage}
                onMore={result.fetchNextPage}
              />
            </>
          );
        }}
      </QueryBoundary>
      <QueryBoundary result={counts} skeletonRows={4} empty={() => undefined}>
        {(response) => (
          <div className="below">
            {response.cut > 0 ? (
              <p className="muted foot-note">{describeSessionsBeyondRange(response.cut)}</p>
            ) : null}
            {response.total > 0 ? (
              <div className="pair">
                <SessionHistogram counts={response} view={view} />
                <UncalledSessionsPanel counts={response} view={view} />
              </div>
            ) : null}
          </div>
        )}
      </QueryBoundary>
    </div>
  );
}

function useSessionsState(): SessionsState {
  return {
    minCalls: useSearchParam('minCalls'),
    maxCalls: useSearchParam('maxCalls'),
    looping: useSearchParamChoice('looping', ['true']),
    failed: useSearchParamChoice('failed', ['all']),
    ended: useSearchParamChoice('ended', ['error']),
    paused: useSearchParamChoice('paused', ['true']),
    booting: useSearchParamChoice('booting', ['true']),
    order: useSearchParamChoice('order', ['calls', 'errors', 'duration']),
  };
}

/** The session for which the reader is picking a second one to compare. */
function useCompareWith(): SessionRef | undefined {
  const [id, of] = [useSearchParam('beside'), useSearchParam('besideOf')];
  return id && of ? { id, of } : undefined;
}

interface SessionListControlsProps {
  readonly view: View;
  readonly state: SessionsState;
  readonly compareWith: SessionRef | undefined;
}

function ComparisonPrompt({
  view,
  state,
  compareWith,
}: SessionListControlsProps & { readonly compareWith: SessionRef }) {
  return (
    <p className="picking" role="status">
      <span>
        Which session shall stand beside <code title={compareWith.id}>{truncateMiddle(compareWith.id)}</code>?
      </span>
      <Link className="button" href={sessionsPath(view, state)}>
        None of them
      </Link>
    </p>
  );
}

/** The first link picks a session; the second opens the comparison. */
function toCompareColumn({ view, state, compareWith }: SessionListControlsProps): Column<SessionRow> {
  return {
    id: 'compare',
    header: 'Compare',
    align: 'end',
    priority: compareWith ? 1 : 4,
    cell: ({ sessionId, server }) => {
      const own = { id: sessionId, of: server };
      if (compareWith?.id === sessionId && compareWith.of === server)
        return <span className="muted">this one</span>;
      return compareWith ? (
        <Link
          href={sessionComparisonPath(view, [compareWith, own])}
          aria-label={`Compare ${truncateMiddle(sessionId)} with it`}
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

function SessionKindLinks({
  view,
  state: { order, ...kind },
  compareWith,
  counts,
}: SessionListControlsProps & { readonly counts: SessionCountsResponse | undefined }) {
  const chips = prepareSessionKindChips(kind, counts);
  return (
    <nav className="segments wrapping" aria-label="Which sessions">
      {chips.map(({ label, filter, count, isChosen, title }) => (
        <Link
          key={label}
          href={sessionsPath(view, { ...filter, order }, compareWith)}
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

function OrderLinks({ view, state, compareWith }: SessionListControlsProps) {
  return (
    <nav className="segments" aria-label="Order">
      {ORDERS.map(([order, label]) => (
        <Link
          key={label}
          href={sessionsPath(view, { ...state, order }, compareWith)}
          aria-current={state.order === order ? 'true' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

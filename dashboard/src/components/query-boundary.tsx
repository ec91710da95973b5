// Renders the four states of a query: loading with the elapsed time, empty, failed with the reason and a
// retry button, and the data. Pages pass in only a query, so they cannot omit a state.
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/fetch-resource.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatClock } from '../format/format-time.ts';
import { useZone } from '../view/preferences.ts';
import { useIsOverdue } from '../view/use-staleness.ts';
import { Icon } from './icon.tsx';

/** The part of a query that the boundary needs; the hooks of `api` return it. */
export interface QueryResult<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** When the response arrived, in epoch milliseconds. */
  readonly dataUpdatedAt: number;
  readonly isFetching: boolean;
  readonly isPlaceholderData: boolean;
  readonly refetch: () => unknown;
  /** Cancels this query only; the previous data stays. */
  readonly cancel: () => void;
}

const ELAPSED_TICK_MS = 500;
const SHOW_ELAPSED_AFTER_MS = 1_000;

interface QueryBoundaryProps<T> {
  readonly result: QueryResult<T>;
  /** The text of the empty state, or undefined when there is data. */
  readonly empty: (data: T) => ReactNode | undefined;
  readonly children: (data: T) => ReactNode;
  /** Rows of the skeleton; charts omit it and use their own height. */
  readonly skeletonRows?: number;
}

export function QueryBoundary<T>({ result, empty, children, skeletonRows = 0 }: QueryBoundaryProps<T>) {
  const { data, error } = result;
  if (data === undefined && error) return <ErrorState result={result} error={error} />;
  if (data === undefined)
    return result.isFetching ? (
      <LoadingState rows={skeletonRows} result={result} />
    ) : (
      <CancelledState result={result} />
    );
  const emptyContent = empty(data);
  return (
    <div className="shell" data-stale={result.isPlaceholderData || undefined}>
      {result.isPlaceholderData ? <PreviousViewNotice result={result} /> : null}
      {error ? <Notice text={`Data may be stale. ${error.message}`} result={result} /> : null}
      {!result.isPlaceholderData && !error ? <OverdueNotice result={result} /> : null}
      {emptyContent === undefined ? children(data) : <div className="state empty">{emptyContent}</div>}
    </div>
  );
}

interface OverdueNoticeProps {
  readonly result: Pick<QueryResult<unknown>, 'dataUpdatedAt' | 'isFetching'>;
}

/** Labels the data as outdated when a refetch takes long. */
function OverdueNotice({ result }: OverdueNoticeProps) {
  const zone = useZone();
  if (!useIsOverdue(result)) return null;
  return (
    <Notice
      text={`Last updated at ${formatClock(result.dataUpdatedAt, zone)}; the next update is overdue.`}
    />
  );
}

/** Labels placeholder data that belongs to the previous view. */
function PreviousViewNotice({ result }: Pick<QueryErrorProps, 'result'>) {
  if (result.isFetching) {
    return (
      <div className="progress">
        <LoadingProgress word="Updating" result={result} />
      </div>
    );
  }
  return <Notice text="Showing the previous view." result={result} />;
}

function LoadingState({ rows, result }: Pick<QueryErrorProps, 'result'> & { readonly rows: number }) {
  return (
    <div className="state loading">
      <div className={rows > 0 ? 'skeleton rows' : 'skeleton'} aria-hidden="true">
        {Array.from({ length: rows }, (_, at) => `row ${at}`).map((key) => (
          <i key={key} />
        ))}
      </div>
      <LoadingProgress word="Loading" result={result} />
    </div>
  );
}

/**
 * Shows the elapsed time after one second, because a fast query needs none. A slow query can be cancelled.
 */
function LoadingProgress({ word, result }: Pick<QueryErrorProps, 'result'> & { readonly word: string }) {
  const ms = useElapsed();
  const isLong = ms >= SHOW_ELAPSED_AFTER_MS;
  return (
    <div className="waiting-line">
      <output>
        {word}{' '}
        {isLong ? (
          <span className="muted">{formatDuration(Math.floor(ms / ELAPSED_TICK_MS) * ELAPSED_TICK_MS)}</span>
        ) : null}
      </output>
      {isLong ? (
        <button type="button" className="button" onClick={result.cancel}>
          Cancel
        </button>
      ) : null}
    </div>
  );
}

/** Milliseconds since the first render. */
function useElapsed(): number {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const startedAt = performance.now();
    const timer = setInterval(() => setMs(performance.now() - startedAt), ELAPSED_TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return ms;
}

function CancelledState({ result }: Pick<QueryErrorProps, 'result'>) {
  return (
    <div className="state">
      <p>Not loaded.</p>
      <RetryButton result={result} />
    </div>
  );
}

interface QueryErrorProps {
  readonly result: Pick<QueryResult<unknown>, 'refetch' | 'isFetching' | 'cancel'>;
  readonly error: Error;
}

function ErrorState({ result, error }: QueryErrorProps) {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return (
    <div className="state failed" role="alert">
      <p>
        <Icon name="server" /> {error.message}
      </p>
      {hint ? <p className="muted">{hint}</p> : null}
      <RetryButton result={result} />
    </div>
  );
}

interface NoticeProps {
  readonly text: string;
  /** Adds a button that retries the query. */
  readonly result?: QueryErrorProps['result'];
}

function Notice({ text, result }: NoticeProps) {
  return (
    <div className="stale" role="status">
      <Icon name="clock" />
      <span>{text}</span>
      {result ? <RetryButton result={result} /> : null}
    </div>
  );
}

function RetryButton({ result }: Pick<QueryErrorProps, 'result'>) {
  return (
    <button
      type="button"
      className="button"
      disabled={result.isFetching}
      onClick={() => void result.refetch()}
    >
      {result.isFetching ? 'Retrying…' : 'Try again'}
    </button>
  );
}

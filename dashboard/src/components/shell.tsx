// The four states of anything that waits for an answer: loading with the time it has taken, empty with a sentence,
// failed with the reason and a way to try again, and the data. A page cannot forget one, because it gives only a query.
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { AskError } from '../api/ask.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatClock } from '../format/format-time.ts';
import { useZone } from '../view/preferences.ts';
import { Icon } from './icon.tsx';

/** What a shell needs of a question; the hooks of `api` give it. */
export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** When the answer came, in epoch milliseconds. */
  readonly dataUpdatedAt: number;
  readonly isFetching: boolean;
  readonly isPlaceholderData: boolean;
  readonly refetch: () => unknown;
  /** Gives up this question and no other; what it was asked for before stays. */
  readonly cancel: () => void;
}

const TICK_MS = 500;
const LONG_MS = 1_000;
/** With the time until somebody asks, below the ten seconds after which figures that are not fresh have to say so. */
const OVERDUE_MS = 8_000;

interface ShellProps<T> {
  readonly asked: Asked<T>;
  /** A kind and exact sentence when there is nothing to show, or undefined when there is. */
  readonly empty: (data: T) => ReactNode | undefined;
  readonly children: (data: T) => ReactNode;
  /** Rows of the skeleton; a chart has none and takes its own height. */
  readonly rows?: number;
}

export function Shell<T>({ asked, empty, children, rows = 0 }: ShellProps<T>) {
  const { data, error } = asked;
  if (data === undefined && error) return <Failed asked={asked} error={error} />;
  if (data === undefined)
    return asked.isFetching ? <Loading rows={rows} asked={asked} /> : <Cancelled asked={asked} />;
  const nothing = empty(data);
  return (
    <div className="shell" data-stale={asked.isPlaceholderData || undefined}>
      {asked.isPlaceholderData ? <Changing asked={asked} /> : null}
      {error ? <Stale asked={asked} error={error} /> : null}
      {asked.isFetching && !asked.isPlaceholderData && !error ? <Overdue asked={asked} /> : null}
      {nothing === undefined ? children(data) : <div className="state empty">{nothing}</div>}
    </div>
  );
}

/** Figures that are being asked anew, once that takes so long that they are not of now any more. */
function Overdue({ asked }: { readonly asked: Pick<Asked<unknown>, 'dataUpdatedAt'> }) {
  const zone = useZone();
  if (useElapsed() < OVERDUE_MS) return null;
  return (
    <div className="stale" role="status">
      <Icon name="clock" />
      <span>Last updated at {formatClock(asked.dataUpdatedAt, zone)}. The next answer is overdue.</span>
    </div>
  );
}

/** What shows is of the view before; says so for as long as that is the case. */
function Changing({ asked }: Pick<FailureProps, 'asked'>) {
  if (asked.isFetching) {
    return (
      <div className="progress">
        <Waiting word="Updating" asked={asked} />
      </div>
    );
  }
  return (
    <div className="stale" role="status">
      <Icon name="clock" />
      <span>These figures are of the view before.</span>
      <Retry asked={asked} />
    </div>
  );
}

function Loading({ rows, asked }: Pick<FailureProps, 'asked'> & { readonly rows: number }) {
  return (
    <div className="state loading">
      <div className={rows > 0 ? 'skeleton rows' : 'skeleton'} aria-hidden="true">
        {Array.from({ length: rows }, (_, at) => `row ${at}`).map((key) => (
          <i key={key} />
        ))}
      </div>
      <Waiting word="Loading" asked={asked} />
    </div>
  );
}

/** Says for how long only after a second: what is quick needs no clock. What takes long can be given up. */
function Waiting({ word, asked }: Pick<FailureProps, 'asked'> & { readonly word: string }) {
  const ms = useElapsed();
  const isLong = ms >= LONG_MS;
  return (
    <div className="waiting-line">
      <output>
        {word}{' '}
        {isLong ? <span className="muted">{formatDuration(Math.floor(ms / TICK_MS) * TICK_MS)}</span> : null}
      </output>
      {isLong ? (
        <button type="button" className="button" onClick={asked.cancel}>
          Cancel
        </button>
      ) : null}
    </div>
  );
}

/** Milliseconds since this was first shown. */
function useElapsed(): number {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const startedAt = performance.now();
    const timer = setInterval(() => setMs(performance.now() - startedAt), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return ms;
}

function Cancelled({ asked }: Pick<FailureProps, 'asked'>) {
  return (
    <div className="state">
      <p>Not loaded.</p>
      <Retry asked={asked} />
    </div>
  );
}

interface FailureProps {
  readonly asked: Pick<Asked<unknown>, 'refetch' | 'isFetching' | 'cancel'>;
  readonly error: Error;
}

function Failed({ asked, error }: FailureProps) {
  const hint = error instanceof AskError ? error.hint : undefined;
  return (
    <div className="state failed" role="alert">
      <p>
        <Icon name="server" /> {error.message}
      </p>
      {hint ? <p className="muted">{hint}</p> : null}
      <Retry asked={asked} />
    </div>
  );
}

/** The last answer stays on the screen while the service is away, and says so. */
function Stale({ asked, error }: FailureProps) {
  return (
    <div className="stale" role="status">
      <Icon name="clock" />
      <span>These figures are from before. {error.message}</span>
      <Retry asked={asked} />
    </div>
  );
}

function Retry({ asked }: Pick<FailureProps, 'asked'>) {
  return (
    <button type="button" className="button" disabled={asked.isFetching} onClick={() => void asked.refetch()}>
      {asked.isFetching ? 'Trying…' : 'Try again'}
    </button>
  );
}

// Tells the page when to ask again: by the service's events, and by polling whenever those do not come. Owns one
// EventSource while live; pausing closes it.
import type { Query, QueryClient } from '@tanstack/react-query';
import { STREAM_EVENTS, StreamEvent } from '../../../src/contract/answers.ts';
import type { ServiceWatch } from './service-watch.ts';

export type LiveState = 'connecting' | 'live' | 'polling' | 'silent' | 'paused';

/** Nobody reads faster than this, and a busy server has an event for every batch. */
const REFRESH_AT_MOST_EVERY_MS = 2_000;
const POLL_EVERY_MS = 5_000;
/** A range that ends now moves on even when nothing arrives. */
const DRIFT_EVERY_MS = 30_000;
const TICK_MS = 500;
/** A stream has a heartbeat every two seconds; one without is held back on its way, or its connection is gone. */
const STREAM_QUIET_MS = 5_000;
/** How long a stream without events is kept before another is opened. */
const REOPEN_EVERY_MS = 20_000;

/** Asks the open questions again, at most so often, the last wish never lost. */
export class LiveRefresh {
  readonly #client: QueryClient;
  readonly #watch: ServiceWatch;
  readonly #listeners = new Set<() => void>();
  #state: LiveState = 'connecting';
  #source: EventSource | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #openedAtMs = 0;
  #eventAtMs = 0;
  #refreshedAtMs = 0;
  #wasSilent = false;

  constructor(client: QueryClient, watch: ServiceWatch) {
    this.#client = client;
    this.#watch = watch;
    watch.subscribe(() => this.#followService());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  start(): void {
    this.stop('connecting');
    this.#refreshedAtMs = Date.now(); // the page has just asked
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#open();
  }

  stop(state: LiveState = 'paused'): void {
    this.#source?.close();
    this.#source = undefined;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#become(state);
  }

  #open(): void {
    this.#source?.close();
    this.#openedAtMs = Date.now();
    const source = new EventSource('/api/v1/stream');
    this.#source = source;
    source.onerror = () => {
      this.#eventAtMs = 0;
      this.#watch.doubt();
    };
    source.onmessage = (event) => this.#take(event.data);
    for (const kind of STREAM_EVENTS) source.addEventListener(kind, (event) => this.#take(event.data));
  }

  #take(data: unknown): void {
    const event = StreamEvent.safeParse(parseJson(data));
    if (!event.success) return;
    this.#watch.hear();
    this.#eventAtMs = Date.now();
    // What happened while nobody listened is not told again.
    const hasMissed = this.#state === 'polling' || this.#state === 'silent';
    this.#settle();
    if (hasMissed || event.data.kind !== 'heartbeat') this.#refreshSoon();
  }

  /** Judges by what came, not by what the connection says of itself: a held-back stream counts as open. */
  #tick(): void {
    this.#settle();
    const isLive = this.#state === 'live';
    const now = Date.now();
    if (now - this.#refreshedAtMs >= (isLive ? DRIFT_EVERY_MS : POLL_EVERY_MS)) this.#refreshSoon();
    // A browser gives up for good after an error status, as while the service restarts behind a proxy.
    const isClosed = this.#source?.readyState === EventSource.CLOSED;
    const openedForMs = now - this.#openedAtMs;
    if (!isLive && openedForMs >= (isClosed ? POLL_EVERY_MS : REOPEN_EVERY_MS)) this.#open();
  }

  #settle(): void {
    if (this.#ticker === undefined) return;
    if (this.#watch.silentSinceMs() !== undefined) {
      this.#become('silent');
      return;
    }
    const quietMs = Date.now() - Math.max(this.#eventAtMs, this.#openedAtMs);
    if (this.#eventAtMs > this.#openedAtMs && quietMs < STREAM_QUIET_MS) this.#become('live');
    else if (this.#state !== 'connecting' || quietMs >= STREAM_QUIET_MS) this.#become('polling');
  }

  /** An answer of before the silence may be on its way for ever: once the service is back, all are asked anew. */
  #followService(): void {
    const isSilent = this.#watch.silentSinceMs() !== undefined;
    const isBack = this.#wasSilent && !isSilent;
    this.#wasSilent = isSilent;
    if (this.#ticker === undefined) return;
    this.#settle();
    if (!isBack) return;
    this.#open();
    this.#refreshedAtMs = Date.now();
    void this.#client.invalidateQueries({ predicate: wasNotGivenUp }, { cancelRefetch: true });
  }

  #refreshSoon(): void {
    if (this.#refreshTimer !== undefined || document.hidden) return;
    const waitMs = Math.max(0, this.#refreshedAtMs + REFRESH_AT_MOST_EVERY_MS - Date.now());
    this.#refreshTimer = setTimeout(() => {
      this.#refreshTimer = undefined;
      this.#refreshedAtMs = Date.now();
      this.#refresh();
    }, waitMs);
  }

  /** A question that is still being answered is left to end, or on a busy server a slow one would never; then again. */
  #refresh(): void {
    const isWaiting = this.#client.isFetching() > 0;
    void this.#client.invalidateQueries({ predicate: wasNotGivenUp }, { cancelRefetch: false });
    if (isWaiting) this.#refreshSoon();
  }

  #become(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** A reader who cancels a question is not asked to wait for it again; asking anew is a button. */
function wasNotGivenUp({ state }: Query): boolean {
  return !(state.status === 'pending' && state.fetchStatus === 'idle');
}

function parseJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined; // not ours: an event we cannot read asks for nothing
  }
}

// Tells the page when to ask again: by the service's events, and by polling whenever those do not come. Owns one
// EventSource while live; pausing closes it.
import type { Query, QueryClient } from '@tanstack/react-query';
import { STREAM_EVENTS, StreamEvent } from '../../../src/contract/responses.ts';
import type { ServiceMonitor } from './service-monitor.ts';

export type LiveState = 'connecting' | 'live' | 'polling' | 'silent' | 'paused';

/** Nobody reads faster than this, and a busy server has an event for every batch. */
const MIN_REFRESH_INTERVAL_MS = 2_000;
const POLL_INTERVAL_MS = 5_000;
/** A range that ends now moves on even when nothing arrives. */
const LIVE_REFRESH_INTERVAL_MS = 30_000;
const CHECK_INTERVAL_MS = 500;
/** A stream has a heartbeat every two seconds; one without is held back on its way, or its connection is gone. */
const STREAM_TIMEOUT_MS = 5_000;
/** How long a stream without events is kept before another is opened. */
const REOPEN_INTERVAL_MS = 20_000;

/** Asks the open questions again, at most so often, the last wish never lost. */
export class LiveRefresh {
  readonly #client: QueryClient;
  readonly #monitor: ServiceMonitor;
  readonly #listeners = new Set<() => void>();
  #state: LiveState = 'connecting';
  #source: EventSource | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #openedAtMs = 0;
  #lastEventAtMs = 0;
  #refreshedAtMs = 0;
  #wasUnreachable = false;

  constructor(client: QueryClient, watch: ServiceMonitor) {
    this.#client = client;
    this.#monitor = watch;
    watch.subscribe(() => this.#onServiceChange());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  start(): void {
    this.stop('connecting');
    this.#refreshedAtMs = Date.now(); // the page has just asked
    this.#ticker = setInterval(() => this.#tick(), CHECK_INTERVAL_MS);
    this.#open();
  }

  stop(state: LiveState = 'paused'): void {
    this.#source?.close();
    this.#source = undefined;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#setState(state);
  }

  #open(): void {
    this.#source?.close();
    this.#openedAtMs = Date.now();
    const source = new EventSource('/api/v1/stream');
    this.#source = source;
    source.onerror = () => {
      this.#lastEventAtMs = 0;
      this.#monitor.checkNow();
    };
    source.onmessage = (event) => this.#receive(event.data);
    for (const kind of STREAM_EVENTS) source.addEventListener(kind, (event) => this.#receive(event.data));
  }

  #receive(data: unknown): void {
    const event = StreamEvent.safeParse(parseJson(data));
    if (!event.success) return;
    this.#monitor.recordActivity();
    this.#lastEventAtMs = Date.now();
    // What happened while nobody listened is not told again.
    const hasMissed = this.#state === 'polling' || this.#state === 'silent';
    this.#updateState();
    if (hasMissed || event.data.kind !== 'heartbeat') this.#scheduleRefresh();
  }

  /** Judges by what came, not by what the connection says of itself: a held-back stream counts as open. */
  #tick(): void {
    this.#updateState();
    const isLive = this.#state === 'live';
    const now = Date.now();
    if (now - this.#refreshedAtMs >= (isLive ? LIVE_REFRESH_INTERVAL_MS : POLL_INTERVAL_MS))
      this.#scheduleRefresh();
    // A browser gives up for good after an error status, as while the service restarts behind a proxy.
    const isClosed = this.#source?.readyState === EventSource.CLOSED;
    const openedForMs = now - this.#openedAtMs;
    if (!isLive && openedForMs >= (isClosed ? POLL_INTERVAL_MS : REOPEN_INTERVAL_MS)) this.#open();
  }

  #updateState(): void {
    if (this.#ticker === undefined) return;
    if (this.#monitor.unreachableSinceMs() !== undefined) {
      this.#setState('silent');
      return;
    }
    const quietMs = Date.now() - Math.max(this.#lastEventAtMs, this.#openedAtMs);
    if (this.#lastEventAtMs > this.#openedAtMs && quietMs < STREAM_TIMEOUT_MS) this.#setState('live');
    else if (this.#state !== 'connecting' || quietMs >= STREAM_TIMEOUT_MS) this.#setState('polling');
  }

  /** An answer of before the silence may be on its way for ever: once the service is back, all are asked anew. */
  #onServiceChange(): void {
    const isSilent = this.#monitor.unreachableSinceMs() !== undefined;
    const isBack = this.#wasUnreachable && !isSilent;
    this.#wasUnreachable = isSilent;
    if (this.#ticker === undefined) return;
    this.#updateState();
    if (!isBack) return;
    this.#open();
    this.#refreshedAtMs = Date.now();
    void this.#client.invalidateQueries({ predicate: isNotCancelled }, { cancelRefetch: true });
  }

  #scheduleRefresh(): void {
    if (this.#refreshTimer !== undefined || document.hidden) return;
    const waitMs = Math.max(0, this.#refreshedAtMs + MIN_REFRESH_INTERVAL_MS - Date.now());
    this.#refreshTimer = setTimeout(() => {
      this.#refreshTimer = undefined;
      this.#refreshedAtMs = Date.now();
      this.#refresh();
    }, waitMs);
  }

  /** A question that is still being answered is left to end, or on a busy server a slow one would never; then again. */
  #refresh(): void {
    const isWaiting = this.#client.isFetching() > 0;
    void this.#client.invalidateQueries({ predicate: isNotCancelled }, { cancelRefetch: false });
    if (isWaiting) this.#scheduleRefresh();
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** A reader who cancels a question is not asked to wait for it again; asking anew is a button. */
function isNotCancelled({ state }: Query): boolean {
  return !(state.status === 'pending' && state.fetchStatus === 'idle');
}

function parseJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined; // not ours: an event we cannot read asks for nothing
  }
}

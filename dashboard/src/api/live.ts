// Tells the page when to ask again: by the service's events, and by polling whenever those do not come. Owns one
// EventSource while live; pausing closes it.
import type { Query, QueryClient } from '@tanstack/react-query';
import { STREAM_EVENTS, StreamEvent } from '../../../src/contract/answers.ts';

export type LiveState = 'connecting' | 'live' | 'polling' | 'paused';

/** Nobody reads faster than this, and a busy server has an event for every batch. */
const REFRESH_AT_MOST_EVERY_MS = 2_000;
const POLL_EVERY_MS = 5_000;
/** A range that ends now moves on even when nothing arrives. */
const DRIFT_EVERY_MS = 30_000;

/** Asks the open questions again, at most so often, the last wish never lost. */
export class LiveRefresh {
  readonly #client: QueryClient;
  readonly #listeners = new Set<() => void>();
  #state: LiveState = 'connecting';
  #source: EventSource | undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshedAtMs = 0;
  #hasBeenOpen = false;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): LiveState => this.#state;

  start(): void {
    this.stop('connecting');
    this.#poll(POLL_EVERY_MS);
    const source = new EventSource('/api/v1/stream');
    this.#source = source;
    source.onopen = () => {
      // What happened while nobody listened is not told again. At the very first the page has just asked.
      if (this.#hasBeenOpen) this.#refreshSoon();
      this.#hasBeenOpen = true;
      this.#poll(DRIFT_EVERY_MS);
      this.#become('live');
    };
    source.onerror = () => {
      this.#poll(POLL_EVERY_MS);
      this.#become('polling');
    };
    source.onmessage = (event) => this.#take(event.data);
    for (const kind of STREAM_EVENTS) source.addEventListener(kind, (event) => this.#take(event.data));
  }

  stop(state: LiveState = 'paused'): void {
    this.#source?.close();
    this.#source = undefined;
    clearInterval(this.#pollTimer);
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#become(state);
  }

  #take(data: unknown): void {
    const event = StreamEvent.safeParse(parseJson(data));
    if (event.success && event.data.kind !== 'heartbeat') this.#refreshSoon();
  }

  #poll(everyMs: number): void {
    clearInterval(this.#pollTimer);
    this.#pollTimer = setInterval(() => {
      this.#refreshSoon();
      // A browser gives up for good after an error status, as while the service restarts behind a proxy.
      if (this.#source?.readyState === EventSource.CLOSED) this.start();
    }, everyMs);
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

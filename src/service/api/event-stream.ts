// `GET /api/v1/stream`: server-sent events that tell open pages to refetch. Events carry no essential data: a
// slow or reconnecting page loses events and simply refetches.

import type { ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Readiness } from '../../contract/readiness.ts';
import { type StreamEvent, StreamQuery } from '../../contract/stream-event.ts';
import type { LoopUpdate } from '../../core/model/loop-record.ts';
import { UpstreamError } from '../../errors.ts';
import { formatLoop, LoopChanges, matchesQuery } from './loop-events.ts';
import { parseQuery } from './parse-query.ts';

/** A page without one for five seconds asks whether the service still answers: it may not look live while it is stopped. */
const HEARTBEAT_MS = 2_000;
/** Minimum interval between events for a page; batches may be stored many times a second. */
const BATCH_MS = 250;
const MAX_LISTENERS = 200;
/** A page that has not read what it was sent for so long is gone, or does not want it; it may come back and ask. */
const STALL_TIMEOUT_MS = 45_000;

/** One open page. */
interface StreamListener {
  write(text: string): void;
  end(): void;
}

export interface EventStreamOptions {
  readonly now: () => number;
  /** Read at each heartbeat while a page is open; must answer within seconds. Always ready by default. */
  readonly readReadiness?: () => Promise<Readiness>;
  readonly heartbeatMs?: number;
  readonly batchMs?: number;
}

/** Owns the open pages and one heartbeat; `close` ends them all and must be called once. */
export class EventStream {
  readonly #listeners = new Set<StreamListener>();
  readonly #loopListeners = new Set<{ readonly listener: StreamListener; readonly query: StreamQuery }>();
  readonly #loopChanges = new LoopChanges();
  readonly #options: Required<EventStreamOptions>;
  readonly #heartbeat: NodeJS.Timeout;
  #batchTimer: NodeJS.Timeout | undefined;
  /** Calls by kind of event, for the next time that events are sent. */
  readonly #pendingEvents = new Map<StreamEvent['kind'], number>();
  #readiness: Readiness = 'ready';
  #isReadingReadiness = false;

  constructor(options: EventStreamOptions) {
    const { heartbeatMs = HEARTBEAT_MS, batchMs = BATCH_MS } = options;
    this.#options = { readReadiness: async () => 'ready', ...options, heartbeatMs, batchMs };
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    this.#heartbeat.unref();
  }

  now(): number {
    return this.#options.now();
  }

  get size(): number {
    return this.#listeners.size + this.#loopListeners.size;
  }

  /** Tells every page that calls were stored; several within a quarter of a second become one event. */
  publishCalls(calls: number): void {
    this.#enqueue('calls', calls);
  }

  /** Tells every page that loops began, went on or ended, and clients that ask for loops which ones. */
  publishLoops(updates: readonly LoopUpdate[] = []): void {
    this.#enqueue('loops', 0);
    const changes = this.#loopChanges.take(updates);
    for (const { listener, query } of this.#loopListeners)
      for (const update of changes)
        if (matchesQuery(update, query)) listener.write(formatLoop(update, this.#options.now()));
  }

  /** Tells every page that an alert, a delivery or a silence has changed. */
  publishAlerts(): void {
    this.#enqueue('alerts', 0);
  }

  #enqueue(kind: StreamEvent['kind'], calls: number): void {
    this.#pendingEvents.set(kind, (this.#pendingEvents.get(kind) ?? 0) + calls);
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = undefined;
      const events = [...this.#pendingEvents];
      this.#pendingEvents.clear();
      for (const [gathered, count] of events) this.#send(gathered, count);
    }, this.#options.batchMs);
    this.#batchTimer.unref();
  }

  /** Adds a client that is told of loops. @returns what takes it off again */
  addLoopListener(listener: StreamListener, query: StreamQuery): () => void {
    const entry = { listener, query };
    this.#loopListeners.add(entry);
    listener.write(`retry: 2000\n${this.#format('heartbeat', 0)}`);
    return () => this.#loopListeners.delete(entry);
  }

  /** @returns what takes the listener off again */
  add(listener: StreamListener): () => void {
    this.#listeners.add(listener);
    listener.write(`retry: 2000\n${this.#format('heartbeat', 0)}`);
    void this.#updateReadiness();
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#batchTimer);
    for (const { listener } of this.#loopListeners) listener.end();
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
    this.#loopListeners.clear();
  }

  #beat(): void {
    this.#send('heartbeat', 0);
    void this.#updateReadiness();
  }

  /** A change is sent at once, because a page may be wrong for ten seconds only. */
  async #updateReadiness(): Promise<void> {
    if (this.#isReadingReadiness || this.#listeners.size === 0) return;
    this.#isReadingReadiness = true;
    const readiness = await this.#options.readReadiness();
    this.#isReadingReadiness = false;
    if (readiness === this.#readiness) return;
    this.#readiness = readiness;
    this.#send('heartbeat', 0);
  }

  #send(kind: StreamEvent['kind'], calls: number): void {
    const text = this.#format(kind, calls);
    for (const listener of this.#listeners) listener.write(text);
    if (kind === 'heartbeat') for (const { listener } of this.#loopListeners) listener.write(text);
  }

  #format(kind: StreamEvent['kind'], calls: number): string {
    const readiness = this.#readiness === 'ready' ? {} : { readiness: this.#readiness };
    return formatEvent({ kind, atMs: this.#options.now(), calls, ...readiness });
  }
}

function formatEvent(event: StreamEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function createStreamRouter(stream: EventStream): Router {
  const router = Router();
  router.get('/api/v1/stream', function openStream(req, res) {
    const query = parseQuery(StreamQuery, req.query);
    if (stream.size >= MAX_LISTENERS) {
      throw new UpstreamError('NOT_READY', 'Too many pages are open. Close some, or try again.', {
        retryable: true,
      });
    }
    res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Disables nginx's response buffering.
      'X-Accel-Buffering': 'no',
    });
    const listener = createStreamListener(res, { now: () => stream.now() });
    const isForLoops = Object.keys(query).length > 0;
    res.on('close', isForLoops ? stream.addLoopListener(listener, query) : stream.add(listener));
  });
  return router;
}

/** Drops events while the page does not read, so that at most one buffer is held for it, and then the page. */
export function createStreamListener(
  page: Pick<ServerResponse, 'writableNeedDrain' | 'write' | 'end' | 'destroy'>,
  { now }: { readonly now: () => number },
): StreamListener {
  let stalledSince: number | undefined;
  return {
    write(text) {
      if (!page.writableNeedDrain) {
        stalledSince = undefined;
        page.write(text);
        return;
      }
      stalledSince ??= now();
      if (now() - stalledSince >= STALL_TIMEOUT_MS) page.destroy();
    },
    end: () => page.end(),
  };
}

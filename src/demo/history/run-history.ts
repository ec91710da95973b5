// Writes the simulated fortnight, and goes on with simulated calls until it is stopped: if they ended with the start of the
// demo, the service would rightly report that nobody calls those servers any more.

import { setImmediate } from 'node:timers/promises';
import type { EncodedSpan } from '../../core/otlp/encode-json.ts';
import { HistoryFeed } from './history-feed.ts';
import { addAnnotation, sendSpans } from './send-spans.ts';
import { createStory, listAnnotations } from './story.ts';

/** Simulated at once: about 100 ms, in which nothing else happens in this process. */
const STEP_MS = 4 * 3_600_000;
/** Spans that are sent while the next are simulated. */
const SEND_SPANS = 1_500;
const LIVE_INTERVAL_MS = 3_000;
/** Chosen so that the story is told well; any other works too. */
const DEFAULT_SEED = 'fortnight';

export interface HistoryOptions {
  /** Address of the service. */
  readonly base: string;
  readonly endMs: number;
  readonly seed?: string;
}

export interface WrittenHistory {
  readonly calls: number;
  /** Sends what has ended since. */
  sendUntil(ms: number): Promise<void>;
}

/** Sends the calls of the fortnight before `endMs` in time order, and annotates it. @throws Error when the service refuses it */
export async function writeHistory({
  base,
  endMs,
  seed = DEFAULT_SEED,
}: HistoryOptions): Promise<WrittenHistory> {
  const story = createStory(endMs);
  const feed = new HistoryFeed(story, seed);
  let calls = 0;
  let waiting: EncodedSpan[] = [];
  let sent: Promise<void> = Promise.resolve();
  for (let untilMs = story.startMs; untilMs < endMs; ) {
    untilMs = Math.min(endMs, untilMs + STEP_MS);
    const step = feed.take(untilMs);
    calls += step.calls;
    waiting.push(...step.spans);
    await setImmediate();
    if (waiting.length < SEND_SPANS && untilMs < endMs) continue;
    await sent;
    sent = sendSpans(base, waiting);
    waiting = [];
  }
  await sent;
  for (const { at, ...annotation } of listAnnotations(story))
    await addAnnotation(base, { ...annotation, at: new Date(at).toISOString() });
  return { calls, sendUntil: (ms) => sendSpans(base, feed.take(ms).spans) };
}

/** Sends simulated calls as they end. @returns ends it */
export function continueHistory(history: WrittenHistory, onError: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout;
  const next = (): void => {
    timer = setTimeout(() => {
      history.sendUntil(Date.now()).then(next, onError);
    }, LIVE_INTERVAL_MS);
  };
  next();
  return () => clearTimeout(timer);
}

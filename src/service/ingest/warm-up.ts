// Fills the window of seen spans when the service starts: with what waits in the journal, at once, and with what the store
// took lately, as soon as it answers. Until then only spans that ended later than any that can have been taken before
// are known to be new.

import type { Logger } from 'pino';
import type { Clock } from '../../segments/clock.ts';
import type { Journal } from './journal.ts';
import type { Section } from './journal-record.ts';
import { GENERATION_KEYS, type SeenSpan, type SeenSpans } from './seen-spans.ts';
import { CLOCK_LEAD_MS } from './sort-spans.ts';

/**
 * The calls that were stored last, newest first: those ingested at or after `since` (epoch milliseconds), at most `limit`.
 * A call without its end is taken to have ended as late as any can. Rejects when the store does not answer.
 */
export type ReadRecent = (query: { readonly since: number; readonly limit: number }) => Promise<
  readonly {
    readonly traceId: string;
    readonly spanId: string;
    /** Microseconds since the epoch. */
    readonly endedAtUs?: number;
  }[]
>;

/** Senders that were cut off seldom keep spans for longer than this. */
const PAST_MS = 60 * 60 * 1000;
const PAUSE_MS = 1_000;

/** Remembers every call that waits in the journal. Rejects when a segment cannot be read. */
export async function warmFromJournal(seen: SeenSpans, journal: Journal): Promise<void> {
  for await (const section of journal.readTail()) {
    if (section.table === 'calls') for (const span of readCalls(section)) seen.add(span, section.sequence);
  }
}

function* readCalls({ rows }: Section): Generator<SeenSpan> {
  for (const line of Buffer.from(rows).toString().trimEnd().split('\n')) {
    // `toCallRow` wrote it, and a checksum stands for every byte.
    const row = JSON.parse(line) as {
      trace_id: string;
      span_id: string;
      started_at: string;
      duration_us: number;
    };
    yield {
      traceId: row.trace_id,
      spanId: row.span_id,
      endedAtUs: parseInstant(row.started_at) + row.duration_us,
    };
  }
}

/** Reverses `formatInstant`. */
function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`) * 1000 + Number(text.slice(20));
}

interface WarmUp {
  readonly readRecent: ReadRecent;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Asks the store until it answers, in the background. @returns what ends that */
export function warmFromStore(seen: SeenSpans, { readRecent, clock, log }: WarmUp): () => void {
  const startMs = clock.now();
  const latestEndUs = (startMs + CLOCK_LEAD_MS) * 1000;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function readWindow(since: number): Promise<void> {
    const recent = await readRecent({ since, limit: GENERATION_KEYS });
    if (stopped) return;
    for (const { traceId, spanId, endedAtUs = latestEndUs } of recent)
      seen.add({ traceId, spanId, endedAtUs }, 0);
    if (recent.length < GENERATION_KEYS) seen.lowerHorizon((since + CLOCK_LEAD_MS) * 1000);
    else log.info({ calls: recent.length }, 'too many recent calls to know all; older spans are looked up');
  }

  async function attempt(): Promise<void> {
    try {
      await readWindow(startMs - PAST_MS);
    } catch (error) {
      if (stopped) return;
      log.debug({ err: error }, 'recent calls could not be read yet');
      cancel = clock.schedule(PAUSE_MS, () => void attempt());
    }
  }

  void attempt();
  return () => {
    stopped = true;
    cancel?.();
  };
}

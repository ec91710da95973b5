// Fills the window of seen spans and that of reports when the service starts: with what waits in the journal, at once, and with what the store
// took lately, as soon as it answers. Until then only spans that ended later than any that can have been taken before
// are known to be new.

import type { Logger } from 'pino';
import type { ReportedCall } from '../../core/model/reported-call.ts';
import type { Clock } from '../../segments/clock.ts';
import { toCallReport } from './call-report.ts';
import type { CallReports } from './call-reports.ts';
import type { Journal } from './journal.ts';
import type { Section } from './journal-record.ts';
import { WINDOW_MS, WINDOW_REPORTS } from './report-window.ts';
import { GENERATION_KEYS, type SeenSpans } from './seen-spans.ts';
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

/** The same of calls as reports of them, oldest first; those that cannot be compared are left out. */
export type ReadReports = (query: {
  readonly since: number;
  readonly limit: number;
}) => Promise<readonly ReportedCall[]>;

/** What is to be filled. */
export interface Windows {
  readonly seen: SeenSpans;
  readonly reports: CallReports;
}

/** Remembers every call that waits in the journal. Rejects when a segment cannot be read. */
export async function warmFromJournal({ seen, reports }: Windows, journal: Journal): Promise<void> {
  for await (const section of journal.readTail()) {
    if (section.table !== 'calls') continue;
    for (const call of readCalls(section)) {
      seen.add({ ...call, endedAtUs: call.startedAtUs + call.durationUs }, section.sequence);
      recall(reports, call);
    }
  }
}

function recall(reports: CallReports, call: ReportedCall): void {
  const report = toCallReport(call);
  if (report) reports.recall(report);
}

function* readCalls({ rows }: Section): Generator<ReportedCall> {
  for (const line of Buffer.from(rows).toString().trimEnd().split('\n')) {
    // `toCallRow` wrote it, and a checksum stands for every byte.
    const row = JSON.parse(line) as ReportedRow;
    yield {
      traceId: row.trace_id,
      spanId: row.span_id,
      parentSpanId: row.parent_span_id,
      side: row.side,
      method: row.method,
      toolName: row.tool_name,
      requestId: row.request_id,
      sessionId: row.session_id,
      sessionSource: row.session_source,
      startedAtUs: parseInstant(row.started_at),
      durationUs: row.duration_us,
      attributes: row.attributes,
    };
  }
}

interface ReportedRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly side: ReportedCall['side'];
  readonly method: string;
  readonly tool_name: string;
  readonly request_id: string;
  readonly session_id: string;
  readonly session_source: ReportedCall['sessionSource'];
  readonly started_at: string;
  readonly duration_us: number;
  readonly attributes: ReportedCall['attributes'];
}

/** Reverses `formatInstant`. */
function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`) * 1000 + Number(text.slice(20));
}

interface WarmUp {
  readonly readRecent: ReadRecent;
  readonly readReports?: ReadReports;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Asks the store until it answers, in the background. @returns what ends that */
export function warmFromStore(
  { seen, reports }: Windows,
  { readRecent, readReports, clock, log }: WarmUp,
): () => void {
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

  async function readReportsSince(since: number): Promise<void> {
    if (reports.isComplete || readReports === undefined) return;
    const calls = await readReports({ since, limit: WINDOW_REPORTS });
    if (stopped) return;
    for (const call of calls) recall(reports, call);
    reports.setComplete(true);
  }

  async function attempt(): Promise<void> {
    try {
      await readReportsSince(startMs - WINDOW_MS);
      await readWindow(startMs - PAST_MS);
    } catch (error) {
      if (stopped) return;
      log.debug({ err: error }, 'recent calls could not be read yet');
      cancel = clock.schedule(PAUSE_MS, () => void attempt());
    }
  }

  reports.setComplete(readReports === undefined);
  void attempt();
  return () => {
    stopped = true;
    cancel?.();
  };
}

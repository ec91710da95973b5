// Warms the windows of seen spans and reports at startup: with the journal's entries at once, and with the
// store's recent calls as soon as it is available. Until then only spans that ended later than any possibly
// accepted one are known to be new.

import type { Logger } from 'pino';
import { CALL_COLUMNS } from '../../core/model/call-columns.ts';
import { CALL_REPORT_FIELDS, type CallReportFields } from '../../core/model/tool-call.ts';
import { parseDateTime64 } from '../../core/values/date-time64.ts';
import type { Clock } from '../../segment-log/clock.ts';
import { toCallReport } from './call-report.ts';
import type { Journal } from './journal.ts';
import type { RecordSection } from './journal-record.ts';
import { MAX_CLOCK_SKEW_MS } from './normalise-spans.ts';
import type { ReportDeduplicator } from './report-deduplicator.ts';
import { REPORT_WINDOW_CAPACITY, REPORT_WINDOW_MS } from './report-window.ts';
import { GENERATION_KEYS, type SeenSpans } from './seen-spans.ts';

/**
 * The most recently stored calls, newest first: ingested at or after `since` (epoch milliseconds), at most
 * `limit`. A call without an end is assumed to have the latest possible end. Rejects when the store is
 * unavailable.
 */
export type ReadRecentCallKeys = (query: { readonly since: number; readonly limit: number }) => Promise<
  readonly {
    readonly traceId: string;
    readonly spanId: string;
    /** Microseconds since the epoch. */
    readonly endedAtUs?: number;
  }[]
>;

/** Disconnected senders seldom buffer spans for longer. */
const LOOKBACK_MS = 60 * 60 * 1000;
const RETRY_MS = 1_000;

/** The same calls as reports, oldest first; those that cannot be compared are left out. */
export type ReadRecentReports = (query: {
  readonly since: number;
  readonly limit: number;
}) => Promise<readonly CallReportFields[]>;

/** The windows to fill. */
export interface DeduplicationWindows {
  readonly seen: SeenSpans;
  readonly reports: ReportDeduplicator;
}

/** Adds every call in the journal. Rejects when a segment cannot be read. */
export async function warmUpFromJournal(
  { seen, reports }: DeduplicationWindows,
  journal: Journal,
): Promise<void> {
  for await (const section of journal.readPending()) {
    if (section.table !== 'calls') continue;
    for (const call of readCalls(section)) {
      seen.add({ ...call, endedAtUs: call.startedAtUs + call.durationUs }, section.sequence);
      rememberReport(reports, call);
    }
  }
}

function rememberReport(reports: ReportDeduplicator, call: CallReportFields): void {
  const report = toCallReport(call);
  if (report) reports.remember(report);
}

function* readCalls({ rows }: RecordSection): Generator<CallReportFields> {
  for (const line of Buffer.from(rows).toString().trimEnd().split('\n')) yield parseReport(JSON.parse(line));
}

/** Columns with these values are left out of a row. */
const DEFAULTS = { text: '', count: 0, attributes: {} } as const;

/** @param row written by `toCallRow` and protected by a checksum */
function parseReport(row: Readonly<Record<string, unknown>>): CallReportFields {
  const fields = CALL_REPORT_FIELDS.map((field) => {
    const { name, kind } = CALL_COLUMNS[field];
    return [field, kind === 'instant' ? parseDateTime64(String(row[name])) : (row[name] ?? DEFAULTS[kind])];
  });
  return Object.fromEntries(fields) as CallReportFields;
}

interface WarmUpOptions {
  readonly readRecentCallKeys: ReadRecentCallKeys;
  readonly readRecentReports?: ReadRecentReports;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Queries the store in the background until it succeeds.
 *
 * @returns a function that stops it
 */
export function warmUpFromStore(
  { seen, reports }: DeduplicationWindows,
  { readRecentCallKeys, readRecentReports, clock, log }: WarmUpOptions,
): () => void {
  const startMs = clock.now();
  const latestEndUs = (startMs + MAX_CLOCK_SKEW_MS) * 1000;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  async function readWindow(since: number): Promise<void> {
    const recent = await readRecentCallKeys({ since, limit: GENERATION_KEYS });
    if (isStopped) return;
    for (const { traceId, spanId, endedAtUs = latestEndUs } of recent)
      seen.add({ traceId, spanId, endedAtUs }, 0);
    if (recent.length < GENERATION_KEYS) seen.lowerHorizon((since + MAX_CLOCK_SKEW_MS) * 1000);
    else log.info({ calls: recent.length }, 'too many recent calls to know all; older spans are looked up');
  }

  async function readReportsSince(since: number): Promise<void> {
    if (reports.isComplete || readRecentReports === undefined) return;
    const calls = await readRecentReports({ since, limit: REPORT_WINDOW_CAPACITY });
    if (isStopped) return;
    for (const call of calls) rememberReport(reports, call);
    reports.isComplete = true;
  }

  async function attempt(): Promise<void> {
    try {
      await readReportsSince(startMs - REPORT_WINDOW_MS);
      await readWindow(startMs - LOOKBACK_MS);
    } catch (error) {
      if (isStopped) return;
      log.debug({ err: error }, 'recent calls could not be read yet');
      cancel = clock.schedule(RETRY_MS, () => void attempt());
    }
  }

  reports.isComplete = readRecentReports === undefined;
  void attempt();
  return () => {
    isStopped = true;
    cancel?.();
  };
}

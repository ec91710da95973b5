// The Prometheus metrics of ingest, and the two counts that the API shows too.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { GUARD_CODES, type GuardRecord } from '../../core/model/guard-verdict.ts';
import type { DroppedAgentCall } from './agent-call-recorder.ts';
import type { BatchSink } from './batch-sink.ts';
import type { BatchOutcome } from './batch-writer.ts';
import type { DroppedChildSpan } from './child-span-linker.ts';
import type { Journal } from './journal.ts';
import type { RejectionReason } from './normalise-spans.ts';
import { countQuarantine, listQuarantine } from './quarantine.ts';
import { readDroppedEntries } from './quarantine-cap.ts';

/** Counts reported by the producers of spans. */
export interface ProducerCounts {
  /** Calls that the producers lost. */
  readonly droppedCalls: number;
  /** Calls that the producers' guards did not evaluate for loops. */
  readonly unevaluatedCalls: number;
  /** One for each call that the producers' guards acted on. */
  readonly guarded: readonly GuardRecord[];
}

export interface IngestMetrics {
  /** Readable spans of a request, before validation. */
  countReceived(spans: number): void;
  countAccepted(spans: number, counts: ProducerCounts): void;
  countDuplicates(spans: number): void;
  countRejected(spans: ReadonlyMap<RejectionReason, number>): void;
  countIgnored(spans: ReadonlyMap<string, number>): void;
  /** Spans below a call, kept or dropped for a limit. */
  countChildSpans(outcome: 'kept' | 'no_space' | DroppedChildSpan, spans: number): void;
  /** Tool calls of the agent's side, kept or dropped for a limit. */
  countAgentCalls(outcome: 'kept' | 'no_space' | DroppedAgentCall, calls: number): void;
  /** Texts, lists and nested values that exceeded the limits. */
  countTruncated(values: number): void;
  /** A refused request. */
  countRefused(httpStatus: number): void;
  countAttempt(outcome: BatchOutcome): void;
  /** A request with metrics or logs, which are not stored. */
  countIgnoredSignal(signal: 'metrics' | 'logs'): void;
  /** The preparing worker exited unexpectedly. */
  countPreparerEnded(): void;
  /** Rows that the store permanently refused. */
  countQuarantined(rows: number): void;
  /** Returns the same sink, with each insert timed by its outcome. */
  timeInserts(sink: BatchSink): BatchSink;
  readonly rejectedSpans: number;
  readonly droppedByProducers: number;
}

/** From one call to ten thousand on a busy machine, in seconds. */
const INSERT_DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createIngestMetrics(registry: Registry): IngestMetrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `toolscope_ingest_${name}`, help, labelNames, registers: [registry] });
  const received = counter('spans_received_total', 'Spans in requests that could be read.');
  const accepted = counter('spans_accepted_total', 'Spans written to the journal.');
  const duplicates = counter('spans_duplicate_total', 'Spans that were already accepted.');
  const rejected = counter('spans_rejected_total', 'Spans refused for their id or time.', 'reason');
  const ignored = counter(
    'spans_ignored_total',
    'Spans that are not an MCP call of a server, or report a call that is already counted.',
    'reason',
  );
  const truncated = counter('values_cut_total', 'Texts, lists and nested values that were truncated.');
  const ignoredSignals = counter(
    'requests_ignored_total',
    'Requests with metrics or logs, which are not stored.',
    'signal',
  );
  const refused = counter('requests_refused_total', 'Requests answered with an error.', 'status');
  const attempts = counter('batches_total', 'Attempts to store a batch.', 'outcome');
  const dropped = counter('producer_dropped_calls_total', 'Calls that producers report as lost.');
  const unevaluated = counter(
    'guard_unjudged_calls_total',
    'Calls that the guards of producers did not evaluate for loops, because they were too large.',
  );
  const guardedCalls = counter(
    'guarded_calls_total',
    'Calls that the guards of producers blocked, would have blocked or nudged, by verdict and code.',
    ...(['verdict', 'code'] as const),
  );
  const quarantined = counter('quarantined_rows_total', 'Rows that the store permanently refused.');
  const preparerEnded = counter('preparer_ended_total', 'Unexpected exits of the thread for large bodies.');
  const insertDuration = new Histogram({
    name: 'toolscope_store_insert_duration_seconds',
    help: 'Time of one attempt to store a batch, by its outcome.',
    labelNames: ['outcome'],
    buckets: INSERT_DURATION_BUCKETS,
    registers: [registry],
  });
  let rejectedSpans = 0;
  let droppedByProducers = 0;
  return {
    countReceived: (spans) => received.inc(spans),
    countAccepted(spans, { droppedCalls, unevaluatedCalls, guarded }) {
      accepted.inc(spans);
      unevaluated.inc(unevaluatedCalls);
      for (const { guardVerdict: verdict, guardCode } of guarded)
        guardedCalls.inc({ verdict, code: toKnownCode(guardCode) });
      dropped.inc(droppedCalls);
      droppedByProducers += droppedCalls;
    },
    countDuplicates: (spans) => duplicates.inc(spans),
    countRejected(reasons) {
      for (const [reason, spans] of reasons) {
        rejected.inc({ reason }, spans);
        rejectedSpans += spans;
      }
    },
    countIgnored(reasons) {
      for (const [reason, spans] of reasons) ignored.inc({ reason }, spans);
    },
    ...createSideCounters(registry),
    countTruncated: (values) => truncated.inc(values),
    countIgnoredSignal: (signal) => ignoredSignals.inc({ signal }),
    countRefused: (httpStatus) => refused.inc({ status: httpStatus }),
    countAttempt: (outcome) => attempts.inc({ outcome }),
    countPreparerEnded: () => preparerEnded.inc(),
    countQuarantined: (rows) => quarantined.inc(rows),
    timeInserts: (sink) => ({
      async insert(batch) {
        const stop = insertDuration.startTimer();
        const result = await sink.insert(batch);
        stop({ outcome: result.status });
        return result;
      },
    }),
    get rejectedSpans() {
      return rejectedSpans;
    },
    get droppedByProducers() {
      return droppedByProducers;
    },
  };
}

/** Counters of what is kept beside the calls of servers. */
function createSideCounters(registry: Registry): Pick<IngestMetrics, 'countChildSpans' | 'countAgentCalls'> {
  const counter = (name: string, help: string) =>
    new Counter({ name: `toolscope_ingest_${name}`, help, labelNames: ['outcome'], registers: [registry] });
  const childSpans = counter(
    'child_spans_total',
    'Spans that are not a call and have a parent, by whether they were kept for their call or why not.',
  );
  const agentCalls = counter(
    'agent_calls_total',
    'Tool calls that agents report, by whether they were kept or why not.',
  );
  return {
    countChildSpans: (outcome, spans) => childSpans.inc({ outcome }, spans),
    countAgentCalls: (outcome, calls) => agentCalls.inc({ outcome }, calls),
  };
}

/** Producers choose the code, and each one is a time series. */
function toKnownCode(code: string): string {
  return GUARD_CODES.find((known) => known === code) ?? 'other';
}

/** Counts the names replaced by `other`. @param read returns the values since the start, by kind of name */
export function registerNameCounter(registry: Registry, read: () => ReadonlyMap<string, number>): void {
  new Counter<'kind'>({
    name: 'toolscope_ingest_names_beyond_limit_total',
    help: 'Names over the daily limits, stored as other.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [kind, values] of read()) this.inc({ kind }, values);
    },
  });
}

/** Registers the gauges of a journal and its quarantine. @param now epoch milliseconds */
export function registerJournalGauges(registry: Registry, journal: Journal, now: () => number): void {
  // Each gauge collects its own value: a value set by another gauge is visible only in the next scrape.
  const gauge = (name: string, help: string, read: () => number | Promise<number>): Gauge =>
    new Gauge({
      name: `toolscope_${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  const location = journal.quarantineLocation;
  gauge('journal_bytes', 'Size of the journal on disk.', () => journal.bytes);
  gauge('journal_cap_bytes', 'Size at which spans are refused.', () => journal.capBytes);
  gauge('journal_pending_calls', 'Calls acknowledged and not yet in the store.', () => journal.pendingCalls);
  gauge('journal_pending_batches', 'Sealed batches that wait for the store.', () => journal.batches.count);
  gauge('journal_oldest_pending_seconds', 'Age of the oldest of these calls.', () =>
    Math.max(0, (now() - (journal.oldestPendingMs ?? now())) / 1000),
  );
  gauge(
    'journal_torn_bytes',
    'Bytes of unfinished records, cut off at the start.',
    () => journal.damage.tornBytes,
  );
  gauge('journal_corrupted_records', 'Damaged records, skipped.', () => journal.damage.corruptedRecords);
  gauge('journal_refused_full', 'Appends refused because the journal was full.', () => journal.refused.full);
  gauge('journal_refused_disk', 'Appends refused by the disk.', () => journal.refused.disk);
  gauge('quarantine_entries', 'Entries in quarantine: refused rows and damaged bytes.', () =>
    countQuarantine(location),
  );
  gauge('quarantine_rows', 'Rows in quarantine.', async () =>
    (await listQuarantine(location)).reduce((sum, { rows }) => sum + rows, 0),
  );
  for (const what of ['entries', 'rows'] as const)
    gauge(
      `quarantine_dropped_${what}`,
      `The ${what} ever removed from quarantine to free space.`,
      async () => (await readDroppedEntries(location))[what],
    );
}

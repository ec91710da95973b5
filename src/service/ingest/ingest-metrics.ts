// The ingest metrics: Prometheus metrics, and the three freshness counts in every API response.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { BatchOutcome } from './batch-outcome.ts';
import type { Journal } from './journal.ts';
import type { RejectionReason } from './normalise-spans.ts';
import { listQuarantine, readDroppedEntries } from './quarantine.ts';

/** Counts reported by the producers of spans. */
export interface ProducerCounts {
  /** Calls that the producers lost. */
  readonly droppedCalls: number;
  /** Calls that the producers' guards did not evaluate for loops. */
  readonly unevaluatedCalls: number;
}

export interface IngestMetrics {
  /** Readable spans of a request, before validation. */
  countReceived(spans: number): void;
  countAccepted(spans: number, counts: ProducerCounts): void;
  countDuplicates(spans: number): void;
  countRejected(spans: ReadonlyMap<RejectionReason, number>): void;
  countIgnored(spans: ReadonlyMap<string, number>): void;
  /** Texts, lists and nested values that exceeded the limits. */
  countTruncated(values: number): void;
  /** A refused request. */
  countRefused(httpStatus: number): void;
  countAttempt(outcome: BatchOutcome): void;
  /** The preparing worker exited unexpectedly. */
  countPreparerEnded(): void;
  /** Rows that the store permanently refused. */
  countQuarantined(rows: number): void;
  readonly rejectedSpans: number;
  readonly droppedByProducers: number;
}

export interface MetricSources {
  /** Read on scrape; undefined until the journal is open. */
  readonly journal: () => Journal | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Values replaced by `other` since the start, by kind of name. */
  readonly namesBeyondLimits?: () => ReadonlyMap<string, number>;
}

export function createIngestMetrics(registry: Registry, sources: MetricSources): IngestMetrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `toolscope_ingest_${name}`, help, labelNames, registers: [registry] });
  const received = counter('spans_received_total', 'Spans in requests that could be read.');
  const accepted = counter('spans_accepted_total', 'Spans written to the journal.');
  const duplicates = counter('spans_duplicate_total', 'Spans that had been taken before.');
  const rejected = counter('spans_rejected_total', 'Spans refused for their id or time.', 'reason');
  const ignored = counter(
    'spans_ignored_total',
    'Spans that are no MCP call of a server, or report one that is counted.',
    'reason',
  );
  const truncated = counter(
    'values_cut_total',
    'Texts, lists and nested values that were cut at their limits.',
  );
  const refused = counter('requests_refused_total', 'Requests answered with an error.', 'status');
  const attempts = counter('batches_total', 'Attempts to bring a batch to the store.', 'outcome');
  const dropped = counter('producer_dropped_calls_total', 'Calls that producers report as lost.');
  const unevaluated = counter(
    'guard_unjudged_calls_total',
    'Calls that producers’ guards did not judge for loops, because they were too large.',
  );
  const quarantined = counter('quarantined_rows_total', 'Rows that the store refused for good.');
  const preparerEnded = counter(
    'preparer_ended_total',
    'Times that the thread for large bodies ended unasked.',
  );
  registerJournalGauges(registry, sources);
  registerNameCounter(registry, sources);
  registerQuarantineGauges(registry, sources);
  let rejectedSpans = 0;
  let droppedByProducers = 0;
  return {
    countReceived: (spans) => received.inc(spans),
    countAccepted(spans, { droppedCalls, unevaluatedCalls }) {
      accepted.inc(spans);
      unevaluated.inc(unevaluatedCalls);
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
    countTruncated: (values) => truncated.inc(values),
    countRefused: (httpStatus) => refused.inc({ status: httpStatus }),
    countAttempt: (outcome) => attempts.inc({ outcome }),
    countPreparerEnded: () => preparerEnded.inc(),
    countQuarantined: (rows) => quarantined.inc(rows),
    get rejectedSpans() {
      return rejectedSpans;
    },
    get droppedByProducers() {
      return droppedByProducers;
    },
  };
}

function registerNameCounter(registry: Registry, { namesBeyondLimits }: MetricSources): void {
  new Counter<'kind'>({
    name: 'toolscope_ingest_names_beyond_limit_total',
    help: 'Names that went beyond the limits of a day and were stored as other.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [kind, values] of namesBeyondLimits?.() ?? []) this.inc({ kind }, values);
    },
  });
}

function registerJournalGauges(registry: Registry, { journal, now }: MetricSources): void {
  const gauge = (name: string, help: string, read: (open: Journal) => number): Gauge =>
    new Gauge({
      name: `toolscope_journal_${name}`,
      help,
      registers: [registry],
      collect() {
        const open = journal();
        if (open) this.set(read(open));
      },
    });
  gauge('bytes', 'Size of the journal on disk.', ({ bytes }) => bytes);
  gauge('cap_bytes', 'Size at which spans are refused.', ({ capBytes }) => capBytes);
  gauge('pending_calls', 'Calls acknowledged and not yet in the store.', ({ pendingCalls }) => pendingCalls);
  gauge('pending_batches', 'Sealed batches that wait for the store.', ({ pendingBatches }) => pendingBatches);
  gauge('oldest_pending_seconds', 'Since when the oldest of them waits.', ({ oldestPendingMs }) =>
    oldestPendingMs === undefined ? 0 : Math.max(0, (now() - oldestPendingMs) / 1000),
  );
  gauge('torn_bytes', 'Bytes of unfinished records cut off at start.', ({ damage }) => damage.tornBytes);
  gauge('corrupted_records', 'Damaged records skipped.', ({ damage }) => damage.corruptedRecords);
  gauge(
    'refused_full',
    'Appends refused because the journal had reached its size.',
    ({ refused }) => refused.full,
  );
  gauge('refused_disk', 'Appends refused because the disk did.', ({ refused }) => refused.disk);
}

function registerQuarantineGauges(registry: Registry, { journal }: MetricSources): void {
  const list = async () => {
    const open = journal();
    return open ? listQuarantine(open.quarantineLocation) : [];
  };
  // Each gauge collects its own value: a value set from another gauge's collect is visible only in the next
  // scrape.
  new Gauge({
    name: 'toolscope_quarantine_rows',
    help: 'Rows that lie in quarantine.',
    registers: [registry],
    async collect() {
      this.set((await list()).reduce((sum, entry) => sum + entry.rows, 0));
    },
  });
  new Gauge({
    name: 'toolscope_quarantine_entries',
    help: 'What lies in quarantine: refused rows and damaged bytes.',
    registers: [registry],
    async collect() {
      this.set((await list()).length);
    },
  });
  for (const what of ['entries', 'rows'] as const)
    new Gauge({
      name: `toolscope_quarantine_dropped_${what}`,
      help: `The ${what} of the quarantine that were removed to make room, ever.`,
      registers: [registry],
      async collect() {
        const open = journal();
        this.set(open ? (await readDroppedEntries(open.quarantineLocation))[what] : 0);
      },
    });
}

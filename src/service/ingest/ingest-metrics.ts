// What the ingest counts, as Prometheus metrics and as the three figures that every answer of the API shows.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Journal } from './journal.ts';
import type { ShippedAs } from './shipper.ts';
import type { Rejection } from './sort-spans.ts';

export interface IngestMetrics {
  /** Spans of a request that could be read, before anything is decided about them. */
  countReceived(spans: number): void;
  /** @param droppedCalls calls that the producers of these spans say they lost */
  countAccepted(spans: number, droppedCalls: number): void;
  countDuplicates(spans: number): void;
  countRejected(spans: ReadonlyMap<Rejection, number>): void;
  countIgnored(spans: ReadonlyMap<string, number>): void;
  /** A request that was not taken. */
  countRefused(httpStatus: number): void;
  countAttempt(outcome: ShippedAs): void;
  readonly rejectedSpans: number;
  readonly droppedByProducers: number;
}

/** @param journal read when metrics are asked for; undefined until it is open */
export function createIngestMetrics(registry: Registry, journal: () => Journal | undefined): IngestMetrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `toolscope_ingest_${name}`, help, labelNames, registers: [registry] });
  const received = counter('spans_received_total', 'Spans in requests that could be read.');
  const accepted = counter('spans_accepted_total', 'Spans written to the journal.');
  const duplicates = counter('spans_duplicate_total', 'Spans that had been taken before.');
  const rejected = counter('spans_rejected_total', 'Spans refused for their id or time.', 'reason');
  const ignored = counter('spans_ignored_total', 'Spans that are no MCP call of a server.', 'reason');
  const refused = counter('requests_refused_total', 'Requests answered with an error.', 'status');
  const attempts = counter('batches_total', 'Attempts to bring a batch to the store.', 'outcome');
  const dropped = counter('producer_dropped_calls_total', 'Calls that producers report as lost.');
  registerJournalGauges(registry, journal);
  let rejectedSpans = 0;
  let droppedByProducers = 0;
  return {
    countReceived: (spans) => received.inc(spans),
    countAccepted(spans, droppedCalls) {
      accepted.inc(spans);
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
    countRefused: (httpStatus) => refused.inc({ status: httpStatus }),
    countAttempt: (outcome) => attempts.inc({ outcome }),
    get rejectedSpans() {
      return rejectedSpans;
    },
    get droppedByProducers() {
      return droppedByProducers;
    },
  };
}

function registerJournalGauges(registry: Registry, journal: () => Journal | undefined): void {
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
  gauge('pending_calls', 'Calls acknowledged and not yet in the store.', ({ pendingCalls }) => pendingCalls);
  gauge('torn_bytes', 'Bytes of unfinished records cut off at start.', ({ damage }) => damage.tornBytes);
  gauge('corrupted_records', 'Damaged records skipped.', ({ damage }) => damage.corruptedRecords);
}

// Splits the new entries of a request into counted calls and copies, that is, second reports of counted
// calls. Other data of a copy, such as the catalogue, is kept.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, isWrapperReport } from './call-report.ts';
import type { JournalEntry } from './journal-record.ts';
import { ReportWindow } from './report-window.ts';
import { WrapperReportWaiter } from './wrapper-report-waiter.ts';

export interface ReportingEntry extends JournalEntry {
  readonly report?: CallReport | undefined;
}

export interface DuplicateReport<E extends ReportingEntry> {
  readonly entry: E;
  /** The report that its call is counted by. */
  readonly of: CallReport;
}

export interface DeduplicatedEntries<E extends ReportingEntry> {
  /** To be written: calls, server starts, and the other data of copies. */
  readonly counted: readonly E[];
  readonly copies: readonly DuplicateReport<E>[];
}

/**
 * Maximum row bytes of a request that may wait for the wrapper's reports; a larger one is accepted at once.
 */
const MAX_WAITING_BYTES = 1024 * 1024;

export class ReportDeduplicator {
  readonly #window: ReportWindow;
  readonly #waits: WrapperReportWaiter;
  /** Whether the recent calls of an earlier process are loaded. */
  isComplete = true;

  constructor(clock: Clock) {
    const window = new ReportWindow(clock);
    this.#window = window;
    this.#waits = new WrapperReportWaiter(clock, (report) => window.find(report) !== undefined);
  }

  /** Adds a durable call. */
  remember(report: CallReport): void {
    this.#window.add(report);
    if (isWrapperReport(report)) this.#waits.onWrapperReport(report);
  }

  /**
   * Resolves when deduplication may start: at once, or when the wrapper's reports of the same calls have
   * arrived.
   *
   * @param bytes of their rows
   */
  async waitFor(entries: readonly ReportingEntry[], bytes: number): Promise<void> {
    const reports = entries.flatMap(({ report }) => report ?? []);
    if (bytes <= MAX_WAITING_BYTES) await this.#waits.waitFor(reports);
  }

  /** Splits the new entries of a request, and adds them as if they were durable. The order is kept. */
  deduplicate<E extends ReportingEntry>(entries: readonly E[]): DeduplicatedEntries<E> {
    const copies = new Map<E, DuplicateReport<E>>();
    // The wrapper's own reports first, because they have the most detail.
    const reporting = entries.filter(({ report }) => report !== undefined);
    const fromWrapper = reporting.filter(({ report }) => report && isWrapperReport(report));
    const others = reporting.filter(({ report }) => report && !isWrapperReport(report));
    for (const entry of [...fromWrapper, ...others]) {
      const of = this.#register(entry);
      if (of) copies.set(entry, { entry, of });
    }
    if (copies.size === 0) return { counted: entries, copies: [] };
    const counted = entries.flatMap((entry) => (copies.has(entry) ? withoutCall(entry) : [entry]));
    return { counted, copies: [...copies.values()] };
  }

  /** Undoes `deduplicate` for copies that were not acknowledged and entries that are not durable. */
  forget<E extends ReportingEntry>(entries: readonly E[], copies: readonly DuplicateReport<E>[]): void {
    for (const { report } of entries) if (report) this.#window.forget(report);
    for (const { entry, of } of copies)
      if (entry.report) this.#window.setCopied(of, entry.report.emitter, false);
  }

  /** @returns the report of which this is a copy, if any */
  #register({ report }: ReportingEntry): CallReport | undefined {
    if (report === undefined) return undefined;
    const of = this.#window.find(report);
    if (of === undefined) {
      this.remember(report);
      return undefined;
    }
    this.#window.setCopied(of, report.emitter);
    this.#waits.onDuplicate(report);
    return of;
  }
}

/** The rest of a copy: a listing is sent once, and lost calls are reported once. */
function withoutCall<E extends ReportingEntry>(entry: E): E[] {
  if (entry.listing === undefined) return [];
  const { call: _call, payload: _payload, ...rest } = entry;
  // The same except for two optional parts.
  return [rest as E];
}

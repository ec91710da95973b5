// Parts what is new in a request into calls that count and copies: second reports of calls that count already. What a copy says
// beside its call, such as the catalogue, is kept.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, isWrapperReport } from './call-report.ts';
import type { JournalEntry } from './journal-entry.ts';
import { ReportWindow } from './report-window.ts';
import { WrapperReportWaiter } from './wrapper-report-waiter.ts';

export interface ReportingEntry extends JournalEntry {
  readonly report?: CallReport;
}

export interface DuplicateReport<E extends ReportingEntry> {
  readonly entry: E;
  /** The report by which its call counts. */
  readonly of: CallReport;
}

export interface DeduplicatedEntries<E extends ReportingEntry> {
  /** To be written: calls, starts of servers, and what copies say beside their calls. */
  readonly counted: readonly E[];
  readonly copies: readonly DuplicateReport<E>[];
}

/** Bytes of rows of a request that may wait for the wrapper's reports; a larger one is taken at once. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class ReportDeduplicator {
  readonly #window: ReportWindow;
  readonly #waits: WrapperReportWaiter;
  #isComplete = true;

  constructor(clock: Clock) {
    const window = new ReportWindow(clock);
    this.#window = window;
    this.#waits = new WrapperReportWaiter(clock, (report) => window.find(report) !== undefined);
  }

  /** Whether what an earlier process of the service took lately is known here. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** To be told whether calls of an earlier process are still to be recalled. */
  setComplete(isComplete: boolean): void {
    this.#isComplete = isComplete;
  }

  /** Remembers a call that is durable. */
  remember(report: CallReport): void {
    this.#window.add(report);
    if (isWrapperReport(report)) this.#waits.onWrapperReport(report);
  }

  /**
   * Resolves when it is time to part these: at once, or when the wrapper's reports of the same calls are here.
   * @param bytes of their rows
   */
  async waitFor(entries: readonly ReportingEntry[], bytes: number): Promise<void> {
    const reports = entries.flatMap(({ report }) => report ?? []);
    if (bytes <= MAX_WAITING_BYTES) await this.#waits.waitFor(reports);
  }

  /** Parts the new entries of a request, and remembers them as if they were durable. The order of the entries stays. */
  deduplicate<E extends ReportingEntry>(entries: readonly E[]): DeduplicatedEntries<E> {
    const copies = new Map<E, DuplicateReport<E>>();
    // The wrapper's own say most.
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

  /** Takes back what `part` remembered of copies that are not answered for, and of entries that are not durable. */
  forget<E extends ReportingEntry>(entries: readonly E[], copies: readonly DuplicateReport<E>[]): void {
    for (const { report } of entries) if (report) this.#window.forget(report);
    for (const { entry, of } of copies)
      if (entry.report) this.#window.setCopied(of, entry.report.emitter, false);
  }

  /** @returns the report of which this is the copy, if it is one */
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

/** What is left of a copy: a listing is sent once, and calls that its producer lost are told once. */
function withoutCall<E extends ReportingEntry>(entry: E): E[] {
  if (entry.listing === undefined) return [];
  const { call: _call, payload: _payload, ...rest } = entry;
  // The same but for two parts that may always be missing.
  return [rest as E];
}

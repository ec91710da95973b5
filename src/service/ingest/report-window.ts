// The reports of the calls that were taken lately, and which of them a second report was found of. A call counts by its first report;
// a second one is a copy only if exactly one report can be meant that has no copy by that emitter yet. So a call is never counted by
// less than the reports of whichever emitter saw most.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, MAX_LEAD_US, mayBeSameCall } from './call-report.ts';

/** How long a report is remembered, in milliseconds: exporters send every few seconds, and again after a failure. */
export const REPORT_WINDOW_MS = 120_000;
/** Reports that are remembered, some 300 bytes each. */
export const REPORT_WINDOW_CAPACITY = 32_768;
/** Reports that are looked at for one; among so many nothing could be told. */
const MAX_CANDIDATES = 256;

interface WindowEntry {
  readonly report: CallReport;
  /** Where reports that are like it are looked for. */
  readonly bucket: string;
  readonly atMs: number;
  /** Emitters of its copies. */
  readonly copiedBy: Set<string>;
}

export class ReportWindow {
  readonly #now: () => number;
  readonly #capacity: number;
  /** Oldest first, by ids. */
  readonly #all = new Map<string, WindowEntry>();
  readonly #buckets = new Map<string, WindowEntry[]>();

  /** @param capacity how many reports are remembered */
  constructor(clock: Pick<Clock, 'now'>, capacity = REPORT_WINDOW_CAPACITY) {
    this.#now = () => clock.now();
    this.#capacity = capacity;
  }

  /** Remembers the report by which a call counts, unless it is known. */
  add(report: CallReport): void {
    if (this.#all.has(toReportKey(report))) return;
    const bucket = toBucketKey(report, toSecond(report));
    const entry = { report, bucket, atMs: this.#now(), copiedBy: new Set<string>() };
    this.#all.set(toReportKey(report), entry);
    const entries = this.#buckets.get(bucket) ?? [];
    // One more says that there are too many; all of those more would only have to be gone through.
    if (entries.length <= MAX_CANDIDATES) entries.push(entry);
    this.#buckets.set(bucket, entries);
    this.#shrink();
  }

  /** Takes a report out: its call was not stored after all. */
  forget(report: CallReport): void {
    const entry = this.#all.get(toReportKey(report));
    if (entry) this.#remove(entry);
  }

  /** @returns the report of which this one must be the copy; undefined when there is none, or more than one may be meant */
  find(report: CallReport): CallReport | undefined {
    const second = toSecond(report);
    const candidates = [second - 1, second, second + 1].flatMap(
      (near) => this.#buckets.get(toBucketKey(report, near)) ?? [],
    );
    if (candidates.length > MAX_CANDIDATES) return undefined;
    const matches = candidates.filter(
      ({ report: other, copiedBy }) => !copiedBy.has(report.emitter) && mayBeSameCall(report, other),
    );
    return matches.length === 1 ? matches[0]?.report : undefined;
  }

  /** Notes that a report has a copy by that emitter, or that it has none after all. */
  setCopied(report: CallReport, emitter: string, isCopied = true): void {
    const copiedBy = this.#all.get(toReportKey(report))?.copiedBy;
    if (isCopied) copiedBy?.add(emitter);
    else copiedBy?.delete(emitter);
  }

  #shrink(): void {
    const oldestMs = this.#now() - REPORT_WINDOW_MS;
    for (const entry of this.#all.values()) {
      if (this.#all.size <= this.#capacity && entry.atMs >= oldestMs) return;
      this.#remove(entry);
    }
  }

  #remove(entry: WindowEntry): void {
    this.#all.delete(toReportKey(entry.report));
    const left = (this.#buckets.get(entry.bucket) ?? []).filter((other) => other !== entry);
    if (left.length === 0) this.#buckets.delete(entry.bucket);
    else this.#buckets.set(entry.bucket, left);
  }
}

function toSecond({ startedAtUs }: CallReport): number {
  return Math.floor(startedAtUs / MAX_LEAD_US);
}

function toBucketKey({ processId, method, requestId }: CallReport, second: number): string {
  return `${processId} ${second} ${method} ${requestId}`;
}

function toReportKey({ traceId, spanId }: CallReport): string {
  return traceId + spanId;
}

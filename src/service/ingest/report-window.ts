// Recently accepted reports, and which of them have a second report. A call counts by its first report; a
// second one is a copy only if exactly one report matches that has no copy by that emitter yet. So a call is
// never undercounted relative to the emitter that saw the most calls.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, MAX_LEAD_US, mayBeSameCall } from './call-report.ts';

/** Retention of a report in milliseconds: exporters send every few seconds, and again after a failure. */
export const REPORT_WINDOW_MS = 120_000;
/** Maximum reports, about 300 bytes each. */
export const REPORT_WINDOW_CAPACITY = 32_768;
/** Candidates compared per report; with more, no match would be unambiguous. */
const MAX_CANDIDATES = 256;

interface WindowEntry {
  readonly report: CallReport;
  /** Keys of the buckets with similar reports: those of its process, and those of its session. */
  readonly buckets: readonly string[];
  readonly atMs: number;
  /** Emitters of its copies. */
  readonly copiedBy: Set<string>;
}

export class ReportWindow {
  readonly #now: () => number;
  readonly #capacity: number;
  /** By id, oldest first. */
  readonly #all = new Map<string, WindowEntry>();
  readonly #buckets = new Map<string, WindowEntry[]>();

  /** @param capacity how many reports are remembered */
  constructor(clock: Pick<Clock, 'now'>, capacity = REPORT_WINDOW_CAPACITY) {
    this.#now = () => clock.now();
    this.#capacity = capacity;
  }

  /** Adds the report that a call counts by, unless it is known. */
  add(report: CallReport): void {
    if (this.#all.has(toReportKey(report))) return;
    const buckets = toBucketKeys(report, toSecond(report));
    const entry = { report, buckets, atMs: this.#now(), copiedBy: new Set<string>() };
    this.#all.set(toReportKey(report), entry);
    for (const bucket of buckets) {
      const entries = this.#buckets.get(bucket) ?? [];
      // One more shows that there are too many; further ones would only have to be scanned.
      if (entries.length <= MAX_CANDIDATES) entries.push(entry);
      this.#buckets.set(bucket, entries);
    }
    this.#shrink();
  }

  /** Removes a report whose call was not stored. */
  forget(report: CallReport): void {
    const entry = this.#all.get(toReportKey(report));
    if (entry) this.#remove(entry);
  }

  /** @returns the report of which this one must be a copy; undefined if none or several match */
  find(report: CallReport): CallReport | undefined {
    const second = toSecond(report);
    const buckets = [second - 1, second, second + 1].flatMap((near) => toBucketKeys(report, near));
    const candidates = new Set(buckets.flatMap((bucket) => this.#buckets.get(bucket) ?? []));
    if (candidates.size > MAX_CANDIDATES) return undefined;
    const matches = [...candidates].filter(
      ({ report: other, copiedBy }) => !copiedBy.has(report.emitter) && mayBeSameCall(report, other),
    );
    return matches.length === 1 ? matches[0]?.report : undefined;
  }

  /** Records whether a report has a copy by that emitter. */
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
    for (const bucket of entry.buckets) {
      const left = (this.#buckets.get(bucket) ?? []).filter((other) => other !== entry);
      if (left.length === 0) this.#buckets.delete(bucket);
      else this.#buckets.set(bucket, left);
    }
  }
}

function toSecond({ startedAtUs }: CallReport): number {
  return Math.floor(startedAtUs / MAX_LEAD_US);
}

function toBucketKeys({ processId, sessionId, method, requestId }: CallReport, second: number): string[] {
  const key = `${method} ${requestId}`;
  return [
    ...(processId === '' ? [] : [`process ${processId} ${second} ${key}`]),
    ...(sessionId === '' ? [] : [`session ${sessionId} ${key}`]),
  ];
}

function toReportKey({ traceId, spanId }: CallReport): string {
  return traceId + spanId;
}

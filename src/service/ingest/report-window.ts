// The reports of the calls that were taken lately, and which of them a second report was found of. A call counts by its first report;
// a second one is a copy only if exactly one report can be meant that has no copy by that emitter yet. So a call is never counted by
// less than the reports of whichever emitter saw most.

import type { Clock } from '../../segments/clock.ts';
import { type CallReport, MAX_LEAD_US, mayBeSameCall } from './call-report.ts';

/** How long a report is remembered, in milliseconds: exporters send every few seconds, and again after a failure. */
export const WINDOW_MS = 120_000;
/** Reports that are remembered, some 300 bytes each. */
export const WINDOW_REPORTS = 32_768;
/** Reports that are looked at for one; among so many nothing could be told. */
const MOST_ALIKE = 256;

interface Remembered {
  readonly report: CallReport;
  /** Where reports that are like it are looked for. */
  readonly place: string;
  readonly atMs: number;
  /** Emitters of its copies. */
  readonly copiedBy: Set<string>;
}

export class ReportWindow {
  readonly #now: () => number;
  readonly #capacity: number;
  /** Oldest first, by ids. */
  readonly #all = new Map<string, Remembered>();
  readonly #places = new Map<string, Remembered[]>();

  /** @param capacity how many reports are remembered */
  constructor(clock: Pick<Clock, 'now'>, capacity = WINDOW_REPORTS) {
    this.#now = () => clock.now();
    this.#capacity = capacity;
  }

  /** Remembers the report by which a call counts, unless it is known. */
  add(report: CallReport): void {
    if (this.#all.has(keyOf(report))) return;
    const place = placeOf(report, secondOf(report));
    const remembered = { report, place, atMs: this.#now(), copiedBy: new Set<string>() };
    this.#all.set(keyOf(report), remembered);
    const beside = this.#places.get(place) ?? [];
    // One more says that there are too many; all of those more would only have to be gone through.
    if (beside.length <= MOST_ALIKE) beside.push(remembered);
    this.#places.set(place, beside);
    this.#shrink();
  }

  /** Takes a report out: its call was not stored after all. */
  forget(report: CallReport): void {
    const remembered = this.#all.get(keyOf(report));
    if (remembered) this.#remove(remembered);
  }

  /** @returns the report of which this one must be the copy; undefined when there is none, or more than one may be meant */
  find(report: CallReport): CallReport | undefined {
    const second = secondOf(report);
    const alike = [second - 1, second, second + 1].flatMap(
      (near) => this.#places.get(placeOf(report, near)) ?? [],
    );
    if (alike.length > MOST_ALIKE) return undefined;
    const meant = alike.filter(
      ({ report: other, copiedBy }) => !copiedBy.has(report.emitter) && mayBeSameCall(report, other),
    );
    return meant.length === 1 ? meant[0]?.report : undefined;
  }

  /** Notes that a report has a copy by that emitter, or that it has none after all. */
  setCopied(report: CallReport, emitter: string, isCopied = true): void {
    const copiedBy = this.#all.get(keyOf(report))?.copiedBy;
    if (isCopied) copiedBy?.add(emitter);
    else copiedBy?.delete(emitter);
  }

  #shrink(): void {
    const oldestMs = this.#now() - WINDOW_MS;
    for (const remembered of this.#all.values()) {
      if (this.#all.size <= this.#capacity && remembered.atMs >= oldestMs) return;
      this.#remove(remembered);
    }
  }

  #remove(remembered: Remembered): void {
    this.#all.delete(keyOf(remembered.report));
    const left = (this.#places.get(remembered.place) ?? []).filter((other) => other !== remembered);
    if (left.length === 0) this.#places.delete(remembered.place);
    else this.#places.set(remembered.place, left);
  }
}

function secondOf({ startedAtUs }: CallReport): number {
  return Math.floor(startedAtUs / MAX_LEAD_US);
}

function placeOf({ processId, method, requestId }: CallReport, second: number): string {
  return `${processId} ${second} ${method} ${requestId}`;
}

function keyOf({ traceId, spanId }: CallReport): string {
  return traceId + spanId;
}

// Delays accepting other emitters' reports for the wrapper's. The first of two reports of a call is stored,
// and the wrapper's has more detail: session, fingerprints, catalogue. An exporter that sends at the end of
// each request is faster by the half second in which the wrapper batches calls. So such a request waits
// briefly before it is accepted, as long as that finds pairs.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, isWrapperReport } from './call-report.ts';

/**
 * Milliseconds: longer than the wrapper needs to prepare and send its calls, shorter than exporter timeouts.
 */
export const REPORT_WAIT_MS = 1_500;
/** Concurrently waiting requests; others are accepted at once. */
const MAX_WAITING = 32;
/** After this many failed waits, a process is not waited for until another pair of its reports is found. */
const MAX_FAILED_WAITS = 3;
/** Maximum processes remembered. */
const MAX_PROCESSES = 1_024;

interface WaitingRequest {
  /** Reports without a match yet. */
  readonly reports: Set<CallReport>;
  readonly end: () => void;
}

/** @returns whether the other report of that call has arrived */
export type IsMatched = (report: CallReport) => boolean;

export class WrapperReportWaiter {
  readonly #clock: Clock;
  readonly #isMatched: IsMatched;
  /** Consecutive failed waits by process that the wrapper runs in. */
  readonly #failedWaits = new Map<string, number>();
  readonly #waiting = new Set<WaitingRequest>();

  constructor(clock: Clock, isMatched: IsMatched) {
    this.#clock = clock;
    this.#isMatched = isMatched;
  }

  /** Call for each accepted wrapper report: other reports of its process may be worth waiting for. */
  onWrapperReport({ processId }: CallReport): void {
    if (!this.#failedWaits.has(processId)) this.#set(processId, 0);
    for (const { reports, end } of [...this.#waiting]) {
      for (const report of reports) if (this.#isMatched(report)) reports.delete(report);
      if (reports.size === 0) end();
    }
  }

  /** Call for each copy found. */
  onDuplicate({ processId }: CallReport): void {
    if (this.#failedWaits.has(processId)) this.#set(processId, 0);
  }

  /** Resolves when the wrapper's reports of the same calls have arrived, or are not worth waiting for. */
  async waitFor(reports: readonly CallReport[]): Promise<void> {
    const wrapperKeys = new Set(reports.filter(isWrapperReport).map(toCallKeyText));
    const early = reports.filter(
      (report) => !wrapperKeys.has(toCallKeyText(report)) && this.#isEarly(report),
    );
    if (early.length === 0 || this.#waiting.size >= MAX_WAITING) return;
    const unmatched = new Set(early);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.#waiting.delete(waiting);
        resolve();
      };
      const cancel = this.#clock.schedule(REPORT_WAIT_MS, end);
      const waiting: WaitingRequest = { reports: unmatched, end };
      this.#waiting.add(waiting);
    });
    if (unmatched.size < early.length) return;
    for (const processId of new Set(early.map((report) => report.processId)))
      this.#set(processId, (this.#failedWaits.get(processId) ?? 0) + 1);
  }

  #isEarly(report: CallReport): boolean {
    const failedWaits = this.#failedWaits.get(report.processId);
    return failedWaits !== undefined && failedWaits < MAX_FAILED_WAITS && !this.#isMatched(report);
  }

  #set(processId: string, failedWaits: number): void {
    this.#failedWaits.delete(processId);
    this.#failedWaits.set(processId, failedWaits);
    const [oldest] = this.#failedWaits.keys();
    if (this.#failedWaits.size > MAX_PROCESSES && oldest !== undefined) this.#failedWaits.delete(oldest);
  }
}

/** A key that both reports of a call share. */
function toCallKeyText({ processId, method, requestId }: CallReport): string {
  return `${processId} ${method} ${requestId}`;
}

// Which of two reports of a call is stored is a matter of who is first, and the wrapper's own says more: session, fingerprints,
// catalogue. An exporter that sends at the end of each request is first, by the half second that the wrapper gathers calls. So the
// answer to such a request waits a moment, before anything of it is taken, for as long as that pays.

import type { Clock } from '../../segment-log/clock.ts';
import { type CallReport, isWrapperReport } from './call-report.ts';

/** Milliseconds: more than the wrapper takes to work out its calls and send them, less than any exporter waits for an answer. */
export const REPORT_WAIT_MS = 1_500;
/** Requests that wait at once; others are taken at once. */
const MAX_WAITING = 32;
/** Waits in vain after which a process is not waited for, until a pair of its reports is found again. */
const MAX_FAILED_WAITS = 3;
/** Processes that are remembered. */
const MAX_PROCESSES = 1_024;

interface WaitingRequest {
  /** What is not matched yet. */
  readonly reports: Set<CallReport>;
  readonly end: () => void;
}

/** @returns whether the other report of that call is here */
export type IsMatched = (report: CallReport) => boolean;

export class WrapperReportWaiter {
  readonly #clock: Clock;
  readonly #isMatched: IsMatched;
  /** Waits in vain in a row, by the processes in which the wrapper reports calls. */
  readonly #failedWaits = new Map<string, number>();
  readonly #waiting = new Set<WaitingRequest>();

  constructor(clock: Clock, isMatched: IsMatched) {
    this.#clock = clock;
    this.#isMatched = isMatched;
  }

  /** To be told of each of the wrapper's reports that was taken: others of its process may be worth waiting for. */
  onWrapperReport({ processId }: CallReport): void {
    if (!this.#failedWaits.has(processId)) this.#set(processId, 0);
    for (const { reports, end } of [...this.#waiting]) {
      for (const report of reports) if (this.#isMatched(report)) reports.delete(report);
      if (reports.size === 0) end();
    }
  }

  /** To be told of each copy that was found. */
  onDuplicate({ processId }: CallReport): void {
    if (this.#failedWaits.has(processId)) this.#set(processId, 0);
  }

  /** Resolves when the wrapper's reports of the same calls are here, or are not worth waiting for. */
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

/** The same for both reports of a call. */
function toCallKeyText({ processId, method, requestId }: CallReport): string {
  return `${processId} ${method} ${requestId}`;
}

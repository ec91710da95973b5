// Takes the prepared spans of one request: counts each (trace id, span id) once, and answers when all of it is durable.
// A span that is on its way in another request is a duplicate only if that one succeeds, so its sender waits for it; so does that of
// a second report of its call.

import type { CallReports, Copy } from './call-reports.ts';
import type { DailyNames } from './daily-names.ts';
import type { IngestMetrics } from './ingest-metrics.ts';
import type { Entry, Journal } from './journal.ts';
import { limitEntries } from './limit-entries.ts';
import { type PreparedEntry, type PreparedSpans, toEntry } from './prepare-body.ts';
import type { SeenSpans } from './seen-spans.ts';
import type { Rejection } from './sort-spans.ts';

type RowEntry = PreparedEntry & Entry;

/** A call as the store knows it. */
export interface StoredKey {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
}

export interface IntakeOptions {
  readonly journal: Journal;
  readonly seen: SeenSpans;
  /** @returns those of the keys whose calls are stored; rejects when the store cannot tell now */
  readonly findStored: (keys: readonly StoredKey[]) => Promise<readonly StoredKey[]>;
  readonly metrics: IngestMetrics;
  /** Tells second reports of one call. */
  readonly reports: CallReports;
  /** Bounds the names of a day. */
  readonly names: DailyNames;
}

export type Taken =
  /** Durable, but for what was rejected. */
  | { readonly status: 'taken'; readonly rejected: ReadonlyMap<Rejection, number> }
  /** The journal or its disk takes nothing now. The sender has to keep all of it; what did get in will count once. */
  | { readonly status: 'full' }
  | { readonly status: 'not_ready'; readonly reason: string };

/** One request's spans while they are not durable; `settled` says whether they all became so. */
interface Ticket {
  readonly settled: Promise<boolean>;
  readonly settle: (durable: boolean) => void;
}

type Failed = Exclude<Taken, { readonly status: 'taken' }>;

const UNKNOWN_PAST: Failed = {
  status: 'not_ready',
  reason: 'Spans of that age cannot be told from repeats until the store has caught up.',
};
const NOT_DURABLE: Failed = { status: 'not_ready', reason: 'The journal could not be written.' };

export class Intake {
  readonly #options: IntakeOptions;
  readonly #onTheWay = new Map<string, Ticket>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  async take({ entries, rows, names, rejected, ignored }: PreparedSpans): Promise<Taken> {
    const { metrics, names: daily, reports, seen } = this.#options;
    const reporting = entries.filter((entry) => entry.report && !seen.has(entry));
    if (reporting.length > 0) await reports.waitFor(reporting, rows.length);
    const whole = entries.map((entry) => toEntry(entry, rows));
    const failed = await this.#takeEntries(await limitEntries(whole, names, daily));
    if (failed) return failed;
    // Counted here, because a request that has to come again would count twice.
    metrics.countRejected(rejected);
    metrics.countIgnored(ignored);
    return { status: 'taken', rejected };
  }

  async #takeEntries(entries: readonly RowEntry[]): Promise<Failed | undefined> {
    const ticket = createTicket();
    const { fresh, others } = this.#reserve(entries, ticket);
    let failed: Failed | undefined;
    try {
      failed = await this.#write(fresh, ticket);
    } finally {
      for (const entry of fresh) this.#onTheWay.delete(keyOf(entry));
      ticket.settle(failed === undefined);
    }
    const settled = await Promise.all([...others].map((other) => other.settled));
    if (failed || settled.includes(false)) return failed ?? NOT_DURABLE;
    this.#options.metrics.countDuplicates(entries.length - fresh.length);
    return undefined;
  }

  /** Parts what is new from what was seen, and marks the new as on its way; nothing may be awaited in here. */
  #reserve(entries: readonly RowEntry[], ticket: Ticket): { fresh: RowEntry[]; others: Set<Ticket> } {
    const others = new Set<Ticket>();
    const fresh = entries.filter((entry) => {
      const key = keyOf(entry);
      const holder = this.#onTheWay.get(key);
      if (holder && holder !== ticket) others.add(holder);
      if (holder || this.#options.seen.has(entry)) return false;
      this.#onTheWay.set(key, ticket);
      return true;
    });
    return { fresh, others };
  }

  async #write(fresh: readonly RowEntry[], ticket: Ticket): Promise<Failed | undefined> {
    const { reports, seen } = this.#options;
    const unstored = await this.#dropStored(fresh);
    if (!Array.isArray(unstored)) return unstored;
    const { counted, copies } = reports.part(unstored);
    const counting = copies.flatMap(({ of }) => this.#onTheWay.get(keyOf(of)) ?? []);
    let failed = await this.#append(counted);
    for (const other of new Set(counting))
      if (other !== ticket && !(await other.settled)) failed ??= NOT_DURABLE;
    if (failed)
      reports.forget(
        counted.filter((entry) => !seen.has(entry)),
        copies,
      );
    else this.#rememberCopies(copies);
    return failed;
  }

  async #append(entries: readonly RowEntry[]): Promise<Failed | undefined> {
    const parts = await this.#options.journal.append(entries);
    let failed: Failed | undefined;
    for (const { entries: part, result } of parts) {
      if (result.status === 'appended') this.#remember(part, result.sequence);
      else failed = result.status === 'closed' ? NOT_DURABLE : { status: 'full' };
    }
    return failed;
  }

  /** What ended before the horizon may have been taken and forgotten; the store knows, once all forgotten is in it. */
  async #dropStored(fresh: readonly RowEntry[]): Promise<RowEntry[] | Failed> {
    const { seen, journal, findStored, metrics, reports } = this.#options;
    // A server's start is no call, and writing its listing twice changes nothing.
    const old = fresh.filter((entry) => entry.call && entry.endedAtUs <= seen.horizonUs);
    if (old.length === 0) return [...fresh];
    if (!journal.hasShipped(seen.forgottenSequence)) return UNKNOWN_PAST;
    // Its call may have been taken by an earlier process of the service, as another emitter's report.
    if (!reports.isComplete && old.some((entry) => entry.report)) return UNKNOWN_PAST;
    try {
      const stored = new Set((await findStored(old)).map(keyOf));
      metrics.countDuplicates(stored.size);
      return fresh.filter((entry) => !stored.has(keyOf(entry)));
    } catch {
      // Whoever fills the port logs what went wrong; here it only means "not now".
      return UNKNOWN_PAST;
    }
  }

  /** A copy that comes again is one that was seen. */
  #rememberCopies(copies: readonly Copy<RowEntry>[]): void {
    if (copies.length === 0) return;
    const { seen, metrics } = this.#options;
    let droppedCalls = 0;
    let unjudgedCalls = 0;
    for (const { entry } of copies) {
      seen.add(entry, 0);
      // Those with a listing were written, without their calls.
      if (entry.listing !== undefined) continue;
      droppedCalls += entry.droppedCalls;
      if (entry.isUnjudged) unjudgedCalls += 1;
    }
    metrics.countAccepted(0, { droppedCalls, unjudgedCalls });
    metrics.countIgnored(new Map([['copy', copies.length]]));
  }

  #remember(entries: readonly RowEntry[], sequence: number): void {
    const { seen, metrics } = this.#options;
    let droppedCalls = 0;
    let unjudgedCalls = 0;
    for (const entry of entries) {
      seen.add(entry, sequence);
      droppedCalls += entry.droppedCalls;
      if (entry.isUnjudged) unjudgedCalls += 1;
    }
    metrics.countAccepted(entries.length, { droppedCalls, unjudgedCalls });
  }
}

function keyOf({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): string {
  return traceId + spanId;
}

function createTicket(): Ticket {
  let settle: (durable: boolean) => void = () => undefined;
  const settled = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  return { settled, settle };
}

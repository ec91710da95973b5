// What the questions need from the rest of the service, and the form in which they are asked. The store fits as it is;
// the freshness figures live in ingest, which this room does not know.

import type { z } from 'zod';
import type { AlertRuleKind } from '../../../contract/alert-rule-kinds.ts';
import type { NamesBeyondLimit, PipelineStatus } from '../../../contract/responses.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { ThresholdTable } from '../../../core/loops/thresholds.ts';

/** One read: SQL with typed parameters (`{name:Type}`), and what a row of it looks like. */
interface ReadQuery<Row> {
  readonly sql: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly row: z.ZodType<Row>;
}

/** The part of the store that questions use; it throws UpstreamError. */
export interface StoreReader {
  query<Row>(query: ReadQuery<Row>): Promise<Row[]>;
}

/** The part of the store that remembers what was answered or said by people; it throws UpstreamError. */
export interface StoreWriter {
  /** @param token names exactly these bytes */
  insert(table: string, ndjson: Uint8Array, token: string): Promise<void>;
}

/** The present, in epoch milliseconds. */
export type EpochClock = () => number;

/** What ingest knows of calls that are on their way or will never arrive. */
export interface Freshness {
  readonly pendingCalls: number;
  readonly droppedByProducers: number;
  readonly rejectedSpans: number;
  /** Why no calls are taken now; absent while they are. */
  readonly notTaking?: string | undefined;
  /** Absent where all names of the day are as they were sent. */
  readonly namesBeyondLimits?: NamesBeyondLimit[];
  readonly pipeline?: PipelineStatus;
}

/** What a million tokens cost. */
export interface TokenPrice {
  readonly perMillion: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** An alert that fires now and is not silenced. What it does not say is empty. */
export interface FiringAlert {
  readonly rule: string;
  readonly kind: AlertRuleKind;
  readonly server: string;
  readonly environment: string;
  readonly client: string;
  readonly tools: readonly string[];
  /** The evidence, for a person. */
  readonly sentence: string;
}

/** What every answer is made from. */
export interface QueryContext {
  readonly store: StoreReader;
  readonly nowMs: number;
  /** How many days single calls and minutes are kept. */
  readonly rawDays: number;
  /** What the loop detector runs with, where it is not the defaults. */
  readonly thresholds?: ThresholdTable | undefined;
  /** Absent where nobody said what tokens cost. */
  readonly tokenPrice?: TokenPrice | undefined;
  /** Absent where nothing may be written: then nothing is remembered. */
  readonly writer?: StoreWriter | undefined;
  /** Absent where no alerts are kept. */
  readonly firingAlerts?: (() => readonly FiringAlert[]) | undefined;
}

/** A query of the contract whose `from` and `to` have become instants. */
export type ResolvedQuery<Query> = Omit<Query, 'from' | 'to'> & { readonly range: TimeRange };

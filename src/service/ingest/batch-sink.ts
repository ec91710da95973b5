// Where sealed batches go, as the ingest needs it; the store fills this port.

import type { TableRows } from './journal-record.ts';

/** A sealed segment as the store will get it: the same bytes and the same token, however often it is sent. */
export interface SealedBatch {
  readonly token: string;
  readonly tables: readonly TableRows[];
  readonly splits?: SplitRecord;
}

/** What the sink remembers across crashes: parts that were refused whole, so that only their halves are sent. */
export interface SplitRecord {
  has(token: string): boolean;
  /** Resolves when it is durable; no half may be sent before. */
  add(token: string): Promise<void>;
}

/** Rows that the store will never take. */
export interface RefusedRows {
  readonly table: string;
  readonly rows: Uint8Array;
  readonly reason: string;
}

export type InsertResult =
  /** In every table, for good. */
  | { readonly status: 'stored' }
  /** Nobody knows, or not now: the very same batch has to be sent again before any later one. */
  | { readonly status: 'retryable'; readonly reason: string }
  /** Sending it again is no use. With `refused`, all other rows are stored; without, none can be counted on. */
  | { readonly status: 'refused'; readonly reason: string; readonly refused?: readonly RefusedRows[] };

export interface BatchSink {
  /** A rejection counts as `retryable`: nothing may be lost because of a bug in between. */
  insert(batch: SealedBatch): Promise<InsertResult>;
}

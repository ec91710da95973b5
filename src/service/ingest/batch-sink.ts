// Port for sealed batches; the store implements it.

/** Rows for any table of the store. */
interface BatchRows {
  readonly table: string;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

/** A sealed segment as sent to the store: the same bytes and token on every attempt. */
export interface SealedBatch<Rows extends BatchRows = BatchRows> {
  readonly token: string;
  readonly tables: readonly Rows[];
  readonly splits?: SplitRecord;
}

/** A durable record of parts that were refused as a whole, so that only their halves are sent. */
export interface SplitRecord {
  has(token: string): boolean;
  /** Resolves when durable; no half may be sent before. */
  add(token: string): Promise<void>;
}

/** Rows that the store permanently refuses. */
export interface RefusedRows extends BatchRows {
  readonly reason: string;
}

export type InsertResult =
  /** Stored in every table, permanently. */
  | { readonly status: 'stored' }
  /** The outcome is unknown or temporary: the same batch must be resent before any later one. */
  | { readonly status: 'retryable'; readonly reason: string }
  /**
   * Resending is useless. With `refused`, all other rows are stored; without it, none are guaranteed to be.
   */
  | { readonly status: 'refused'; readonly reason: string; readonly refused?: readonly RefusedRows[] };

export interface BatchSink {
  /** A rejection counts as `retryable`, so that a bug in between loses nothing. */
  insert(batch: SealedBatch): Promise<InsertResult>;
}

// The key of a call in the store.

/** A call as the store knows it. */
export interface StoredCallKey {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
}

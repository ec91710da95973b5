// One entry of the journal: a call with the rows it becomes.

/**
 * What one accepted span leaves, as the bytes of its rows: a call with what belongs to it, or the listing of a server
 * that started.
 */
export interface JournalEntry {
  readonly traceId: string;
  readonly spanId: string;
  /** Its line without the position, as `toCallHead` writes it: that is known only here. */
  readonly call?: Uint8Array;
  /** A line. */
  readonly payload?: Uint8Array;
  /** Lines, one for each tool. */
  readonly listing?: { readonly rows: Uint8Array; readonly rowCount: number };
}

// W3C Trace Context as carried by MCP: unprefixed keys in `params._meta` (SEP-414). A malformed value counts
// as no context, never as an error.

export interface TraceParent {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** Trace flags; bit 0 is "sampled". */
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);

/**
 * Parses a `traceparent` (W3C Trace Context level 1, 3.2). Later versions may append fields, version 00 may
 * not, and ff is invalid.
 *
 * @returns undefined if invalid.
 */
export function parseTraceParent(value: unknown): TraceParent | undefined {
  if (typeof value !== 'string' || value.length < 55) return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(value.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || spanId === ZERO_SPAN) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

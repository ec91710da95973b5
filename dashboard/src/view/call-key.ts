interface CallIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Identifies a call in a URL and in a list. */
export function toCallKey({ traceId, spanId }: CallIds): string {
  return `${traceId}.${spanId}`;
}

/** Identifies a call of a session whose trace is unknown: a call says only the span of the result that fed it. */
export function toSpanKey(spanId: string): string {
  return `.${spanId}`;
}

/** The key of the call that a key of either kind means; undefined if the list does not have it. */
export function findCallKey(calls: readonly CallIds[], key: string | undefined): string | undefined {
  const found = calls.find((call) => key === toCallKey(call) || key === toSpanKey(call.spanId));
  return found && toCallKey(found);
}

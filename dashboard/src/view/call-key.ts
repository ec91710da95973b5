/** Identifies a call in a URL and in a list. */
export function toCallKey({
  traceId,
  spanId,
}: {
  readonly traceId: string;
  readonly spanId: string;
}): string {
  return `${traceId}.${spanId}`;
}

// Removes rows whose calls are already stored from a batch that is resent: after a long time or under another
// number, the token no longer prevents duplicates. Rows of other tables are idempotent.

/** A call as the store knows it. */
export interface StoredCallKey {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
}

/** @returns the keys whose calls are stored; rejects when the store is unavailable */
export type FindStoredCalls = (keys: readonly StoredCallKey[]) => Promise<readonly StoredCallKey[]>;

/**
 * @returns the lines whose call is not stored, and those without a key. Rejects as `findStoredCalls` does
 */
export async function dropStoredCalls(
  lines: readonly string[],
  findStoredCalls: FindStoredCalls,
): Promise<string[]> {
  const keys = lines.flatMap((line) => parseCallKey(line) ?? []);
  if (keys.length === 0) return [...lines];
  const stored = new Set((await findStoredCalls(keys)).map(toKeyText));
  return lines.filter((line) => {
    const key = parseCallKey(line);
    return key === undefined || !stored.has(toKeyText(key));
  });
}

function toKeyText({ traceId, spanId }: StoredCallKey): string {
  return traceId + spanId;
}

/** @returns the key of a call, or undefined if the row has no key to look up */
function parseCallKey(row: string): StoredCallKey | undefined {
  const traceId = /"trace_id":"([0-9a-f]{32})"/.exec(row)?.[1];
  const spanId = /"span_id":"([0-9a-f]{16})"/.exec(row)?.[1];
  const startedAt = /"started_at":"(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})\.(\d{6})"/.exec(row);
  const startedMs = startedAt ? Date.parse(`${startedAt[1]?.replace(' ', 'T')}Z`) : Number.NaN;
  if (traceId === undefined || spanId === undefined || Number.isNaN(startedMs)) return undefined;
  return { traceId, spanId, startedAtUs: startedMs * 1000 + Number(startedAt?.[2]) };
}

// Finds which calls are stored already, for spans that the ingest window no longer has. A resent call has the
// same start time, or a close one if it arrived by two ways, so a lookup reads only the days and five-minute
// buckets around its keys. Copies within an hour are found, also across midnight.

import { z } from 'zod';
import type { Store } from './store.ts';

export interface CallKey {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch, as the call says it. */
  readonly startedAtUs: number;
}

const KeyRow = z.object({ trace_id: z.string(), span_id: z.string() });

/** Maximum difference of the starts of two copies. */
const MAX_START_DIFFERENCE_US = 3_600_000_000;
/** About 50 kB of parameters; a ClickHouse server takes a URL of 1 MB. */
const MAX_KEYS_PER_QUERY = 1_000;

const SQL = `
  SELECT DISTINCT
    trace_id,
    span_id
  FROM calls
  WHERE toDate(started_at) IN {days:Array(Date)}
    AND started_at BETWEEN fromUnixTimestamp64Micro({from_us:Int64}, 'UTC')
                       AND fromUnixTimestamp64Micro({to_us:Int64}, 'UTC')
    AND trace_id IN {trace_ids:Array(String)}
    AND span_id IN {span_ids:Array(String)}`;

/**
 * @returns the keys that are in `calls`, as the same objects
 * @throws UpstreamError as `Store` does
 */
export async function findStoredCalls<K extends CallKey>(store: Store, keys: readonly K[]): Promise<K[]> {
  // Sorted by time, so that the keys of a chunk are close together.
  const sorted = [...keys].sort((a, b) => a.startedAtUs - b.startedAtUs);
  const stored: K[] = [];
  for (let from = 0; from < sorted.length; from += MAX_KEYS_PER_QUERY)
    stored.push(...(await findChunk(store, sorted.slice(from, from + MAX_KEYS_PER_QUERY))));
  return stored;
}

async function findChunk<K extends CallKey>(store: Store, keys: readonly K[]): Promise<K[]> {
  const times = keys.map(({ startedAtUs }) => startedAtUs);
  const around = times.flatMap((us) => [us - MAX_START_DIFFERENCE_US, us, us + MAX_START_DIFFERENCE_US]);
  const rows = await store.query({
    sql: SQL,
    row: KeyRow,
    params: {
      days: [...new Set(around.map(toDay))],
      from_us: around[0],
      to_us: around.at(-1),
      trace_ids: [...new Set(keys.map(({ traceId }) => traceId))],
      span_ids: [...new Set(keys.map(({ spanId }) => spanId))],
    },
  });
  const stored = new Set(rows.map((row) => `${row.trace_id}:${row.span_id}`));
  return keys.filter(({ traceId, spanId }) => stored.has(`${traceId}:${spanId}`));
}

function toDay(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 10);
}

// Limits the queries of the API: how many run and wait, and the memory and rows of each. One of the engine's
// connections for reading stays free for ingest and detection.
//
// A page sends fifteen queries at once. Cheap ones, by their last duration, run before expensive ones, so
// most panels do not wait for the slowest. A waiting query is overtaken only by those that arrive within its
// expected duration, so none starves.

import { UpstreamError, UserError } from '../../errors.ts';
import { createSemaphore, type SemaphoreOptions } from '../jobs/semaphore.ts';
import type { Store } from './store.ts';

/** Limits per query; a query over ten million calls reads far less. Its own LIMIT bounds the result. */
export interface ReadLimits {
  readonly memoryBytes: number;
  readonly rowsToRead: number;
}

type QueryReader = Pick<Store, 'query'>;

/** One of the engine's four readers stays free. */
export const EMBEDDED_READ_CONCURRENCY: SemaphoreOptions = {
  maxConcurrent: 3,
  maxWaiting: 96,
  maxWaitMs: 10_000,
};
export const SERVER_READ_CONCURRENCY: SemaphoreOptions = {
  maxConcurrent: 8,
  maxWaiting: 96,
  maxWaitMs: 10_000,
};

export const QUERY_LIMITS: ReadLimits = {
  memoryBytes: 512 * 1024 * 1024,
  rowsToRead: 500_000_000,
};

/** Maximum statements with a remembered duration; statements are constants with parameters. */
const MAX_REMEMBERED_COSTS = 1_000;

/**
 * ClickHouse's TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES; MEMORY_LIMIT_EXCEEDED is checked
 * separately.
 */
const TOO_LARGE_CODES = ['158', '307', '396'];
const MEMORY_CODE = '241';

/** @returns a reader that also throws UpstreamError STORE_BUSY and UserError QUERY_TOO_LARGE */
export function limitReads(reader: QueryReader, concurrency: SemaphoreOptions): QueryReader {
  const semaphore = createSemaphore(concurrency);
  const costsMs = new Map<string, number>();

  function recordCost({ sql, onCost }: Parameters<typeof reader.query>[0], costMs: number): void {
    onCost?.(costMs);
    costsMs.delete(sql);
    costsMs.set(sql, costMs);
    const [oldest] = costsMs.keys();
    if (costsMs.size > MAX_REMEMBERED_COSTS && oldest !== undefined) costsMs.delete(oldest);
  }

  return {
    async query(query) {
      const dueMs = performance.now() + (costsMs.get(query.sql) ?? 0);
      const release = await semaphore.acquire(dueMs);
      if (!release) throw busyError();
      const startedMs = performance.now();
      try {
        return await reader.query({ ...query, limits: QUERY_LIMITS });
      } catch (error) {
        throw isTooLarge(error) ? tooLargeError(error) : error;
      } finally {
        recordCost(query, performance.now() - startedMs);
        release();
      }
    },
  };
}

function busyError(): UpstreamError {
  return new UpstreamError('STORE_BUSY', 'Too many concurrent queries. Try again in a moment.', {
    retryable: true,
  });
}

function tooLargeError(cause: unknown): UserError {
  return new UserError('QUERY_TOO_LARGE', 'This query would read too much data.', {
    field: 'from',
    hint: 'Choose a shorter range, or filter by server or tool.',
    cause,
  });
}

/** A memory limit shared by all queries is not this query's fault, and may be temporary. */
function isTooLarge(error: unknown): boolean {
  const cause = error instanceof UpstreamError ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  const code = String(cause.code);
  return (
    TOO_LARGE_CODES.includes(code) || (code === MEMORY_CODE && /query memory limit/i.test(cause.message))
  );
}

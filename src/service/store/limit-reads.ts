// Limits reads: a number of concurrent and waiting queries, each with limits on memory and rows. They leave
// an engine connection for ingest and detection, and never use the writing one.
//
// A page sends fifteen queries at once. Cheap ones, by their last duration, run before expensive ones, so
// most panels do not wait for the slowest. A waiting query is overtaken only by those that arrive within its
// expected duration, so none starves.

import { UpstreamError, UserError } from '../../errors.ts';
import type { Store } from './store.ts';

/** Limits per query; a query over ten million calls reads far less. Its own LIMIT bounds the result. */
export interface ReadLimits {
  readonly memoryBytes: number;
  readonly rowsToRead: number;
}

type QueryReader = Pick<Store, 'query'>;

export interface ReadConcurrency {
  readonly maxConcurrent: number;
  /** Further queries are refused and must be retried. */
  readonly maxWaiting: number;
  /** A query that waits longer is refused in the same way. */
  readonly maxWaitMs: number;
}

/** One of the engine's four readers stays free. */
export const EMBEDDED_READ_CONCURRENCY: ReadConcurrency = {
  maxConcurrent: 3,
  maxWaiting: 96,
  maxWaitMs: 10_000,
};
export const SERVER_READ_CONCURRENCY: ReadConcurrency = {
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

interface WaitingRead {
  /** Arrival time plus the statement's last duration, in milliseconds. */
  readonly dueMs: number;
  readonly start: () => void;
  readonly timeout: NodeJS.Timeout;
}

/**
 * ClickHouse's TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES; MEMORY_LIMIT_EXCEEDED is checked
 * separately.
 */
const TOO_LARGE_CODES = ['158', '307', '396'];
const MEMORY_CODE = '241';

/** \n@returns a reader that also throws UpstreamError STORE_BUSY and UserError QUESTION_TOO_LARGE */
export function limitReads(
  reader: QueryReader,
  { maxConcurrent, maxWaiting, maxWaitMs }: ReadConcurrency,
): QueryReader {
  const waiting: WaitingRead[] = [];
  const costsMs = new Map<string, number>();
  let running = 0;

  function acquire(sql: string): Promise<void> {
    if (running < maxConcurrent) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.length >= maxWaiting) return Promise.reject(busyError());
    return new Promise((resolve, reject) => {
      const entry: WaitingRead = {
        dueMs: performance.now() + (costsMs.get(sql) ?? 0),
        start: resolve,
        timeout: setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1);
          reject(busyError());
        }, maxWaitMs),
      };
      const later = waiting.findIndex(({ dueMs }) => dueMs > entry.dueMs);
      waiting.splice(later === -1 ? waiting.length : later, 0, entry);
    });
  }

  function recordCost(sql: string, startedMs: number): void {
    costsMs.delete(sql);
    costsMs.set(sql, performance.now() - startedMs);
    const [oldest] = costsMs.keys();
    if (costsMs.size > MAX_REMEMBERED_COSTS && oldest !== undefined) costsMs.delete(oldest);
  }

  /** The slot passes to the next waiter directly and is never free in between. */
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) {
      running -= 1;
      return;
    }
    clearTimeout(next.timeout);
    next.start();
  }

  return {
    async query(query) {
      await acquire(query.sql);
      const startedMs = performance.now();
      try {
        return await reader.query({ ...query, limits: QUERY_LIMITS });
      } catch (error) {
        throw isTooLarge(error) ? tooLargeError(error) : error;
      } finally {
        recordCost(query.sql, startedMs);
        release();
      }
    },
  };
}

function busyError(): UpstreamError {
  return new UpstreamError(
    'STORE_BUSY',
    'Too many questions are being asked at once. Try again in a moment.',
    {
      retryable: true,
    },
  );
}

function tooLargeError(cause: unknown): UserError {
  return new UserError('QUESTION_TOO_LARGE', 'This question would read more than it may.', {
    field: 'from',
    hint: 'Ask for a shorter range, or name a server or a tool.',
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

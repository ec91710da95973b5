// What questions may do to the store: so many at once, so many waiting, and each with a bound on memory and rows. They
// leave a connection of the engine to the ingest and the follower, which read too, and never touch the one that writes.
//
// A page asks fifteen questions at once. What took little the last time goes before what took much, so most of its panels do
// not wait for the dearest one; who waits is overtaken only by who came less later than that read takes, so nobody starves.

import { UpstreamError, UserError } from '../../errors.ts';
import type { Store } from './store.ts';

/** Of one query; a question over ten million calls reads far less. How much it answers is bounded by its own LIMIT. */
export interface ReadLimits {
  readonly memoryBytes: number;
  readonly rowsToRead: number;
}

/** What is limited. */
type QueryReader = Pick<Store, 'query'>;

export interface ReadConcurrency {
  readonly maxConcurrent: number;
  /** Beyond it a question is told to come back. */
  readonly maxWaiting: number;
  /** A question that has waited for so long is told the same. */
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

/** Statements are constants with parameters; so many different ones are remembered. */
const MAX_REMEMBERED_COSTS = 1_000;

interface WaitingRead {
  /** When it came, and as much later as its statement took the last time, in milliseconds. */
  readonly dueMs: number;
  readonly start: () => void;
  readonly timeout: NodeJS.Timeout;
}

/** ClickHouse's TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES; MEMORY_LIMIT_EXCEEDED is looked at. */
const TOO_LARGE_CODES = ['158', '307', '396'];
const MEMORY_CODE = '241';

/** @returns a reader that throws UpstreamError STORE_BUSY and UserError QUESTION_TOO_LARGE beside what the other throws */
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

  /** The place goes to the next in line and is not free in between. */
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

/** Memory that ran out for all queries together is no fault of this one, and may be there again. */
function isTooLarge(error: unknown): boolean {
  const cause = error instanceof UpstreamError ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return false;
  const code = String(cause.code);
  return (
    TOO_LARGE_CODES.includes(code) || (code === MEMORY_CODE && /query memory limit/i.test(cause.message))
  );
}

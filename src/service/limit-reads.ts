// What questions may do to the store: so many at once, so many waiting, and each with a bound on memory and rows. They
// leave a connection of the engine to the ingest and the follower, which read too, and never touch the one that writes.
//
// A page asks fifteen questions at once. What took little the last time goes before what took much, so most of its panels do
// not wait for the dearest one; who waits is overtaken only by who came less later than that read takes, so nobody starves.

import { UpstreamError, UserError } from '../errors.ts';
import type { Store } from './store/store.ts';

/** Of one query; a question over ten million calls reads far less. How much it answers is bounded by its own LIMIT. */
export interface ReadLimits {
  readonly memoryBytes: number;
  readonly rowsToRead: number;
}

/** What is limited. */
type Reader = Pick<Store, 'query'>;

export interface ReadPace {
  readonly atOnce: number;
  /** Beyond it a question is told to come back. */
  readonly waiting: number;
  /** A question that has waited for so long is told the same. */
  readonly waitMs: number;
}

/** One of the engine's four readers stays free. */
export const EMBEDDED_PACE: ReadPace = { atOnce: 3, waiting: 96, waitMs: 10_000 };
export const SERVER_PACE: ReadPace = { atOnce: 8, waiting: 96, waitMs: 10_000 };

export const QUESTION_LIMITS: ReadLimits = {
  memoryBytes: 512 * 1024 * 1024,
  rowsToRead: 500_000_000,
};

/** Statements are constants with parameters; so many different ones are remembered. */
const MOST_COSTS = 1_000;

interface Waiting {
  /** When it came, and as much later as its statement took the last time, in milliseconds. */
  readonly dueMs: number;
  readonly start: () => void;
  readonly giveUp: NodeJS.Timeout;
}

/** ClickHouse's TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES; MEMORY_LIMIT_EXCEEDED is looked at. */
const TOO_LARGE_CODES = ['158', '307', '396'];
const MEMORY_CODE = '241';

/** @returns a reader that throws UpstreamError STORE_BUSY and UserError QUESTION_TOO_LARGE beside what the other throws */
export function limitReads(reader: Reader, { atOnce, waiting: mostWaiting, waitMs }: ReadPace): Reader {
  const waiting: Waiting[] = [];
  const costsMs = new Map<string, number>();
  let running = 0;

  function enter(sql: string): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.length >= mostWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        dueMs: performance.now() + (costsMs.get(sql) ?? 0),
        start: resolve,
        giveUp: setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1);
          reject(busy());
        }, waitMs),
      };
      const later = waiting.findIndex(({ dueMs }) => dueMs > entry.dueMs);
      waiting.splice(later === -1 ? waiting.length : later, 0, entry);
    });
  }

  function remember(sql: string, startedMs: number): void {
    costsMs.delete(sql);
    costsMs.set(sql, performance.now() - startedMs);
    const [oldest] = costsMs.keys();
    if (costsMs.size > MOST_COSTS && oldest !== undefined) costsMs.delete(oldest);
  }

  /** The place goes to the next in line and is not free in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) {
      running -= 1;
      return;
    }
    clearTimeout(next.giveUp);
    next.start();
  }

  return {
    async query(query) {
      await enter(query.sql);
      const startedMs = performance.now();
      try {
        return await reader.query({ ...query, limits: QUESTION_LIMITS });
      } catch (error) {
        throw isTooLarge(error) ? tooLarge(error) : error;
      } finally {
        remember(query.sql, startedMs);
        leave();
      }
    },
  };
}

function busy(): UpstreamError {
  return new UpstreamError(
    'STORE_BUSY',
    'Too many questions are being asked at once. Try again in a moment.',
    {
      retryable: true,
    },
  );
}

function tooLarge(cause: unknown): UserError {
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

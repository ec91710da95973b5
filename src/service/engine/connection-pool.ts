// The engine's connections: one only writes, four only read. A chDB connection runs one statement at a time, so a
// slow query must not delay an insert or another query.

import type { Session } from 'chdb';
import { createSemaphore, type Semaphore } from '../jobs/semaphore.ts';
import { StatementError } from './statement-error.ts';

export type ConnectionRole = 'read' | 'write';

interface Connection {
  readonly session: Session;
  /** The database of the last `USE`. */
  database: string;
}

interface Lane {
  readonly semaphore: Semaphore;
  readonly connections: readonly Connection[];
  /** As many as the semaphore has free slots. */
  readonly free: Connection[];
}

export interface SessionTaskOptions {
  readonly role: ConnectionRole;
  readonly database: string;
  /** Checked when the task's turn comes: a task whose client has disconnected is skipped. */
  readonly isWanted: () => boolean;
}

const READER_COUNT = 4;
/** Further statements are refused and may be retried, instead of waiting for minutes. */
const MAX_WAITING = 256;

const TOO_MANY_QUERIES = { code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' };
const CANCELLED = { code: 394, type: 'QUERY_WAS_CANCELLED' };
const UNKNOWN_DATABASE = { code: 81, type: 'UNKNOWN_DATABASE' };

export class ConnectionPool {
  readonly #lanes: Readonly<Record<ConnectionRole, Lane>>;

  /** @param open opens a connection to the data directory; throws when another process holds it */
  constructor(open: () => Session) {
    const createLane = (size: number): Lane => {
      const connections = Array.from({ length: size }, () => ({ session: open(), database: 'default' }));
      const semaphore = createSemaphore({ maxConcurrent: size, maxWaiting: MAX_WAITING });
      return { semaphore, connections, free: [...connections] };
    };
    this.#lanes = { write: createLane(1), read: createLane(READER_COUNT) };
  }

  /** Runs a task alone on a free connection of its role, in order of arrival. */
  async run<T>(
    task: (session: Session) => Promise<T>,
    { role, database, isWanted }: SessionTaskOptions,
  ): Promise<T> {
    const { semaphore, free } = this.#lanes[role];
    const release = await semaphore.acquire();
    const connection = release && free.pop();
    if (!connection)
      throw new StatementError(TOO_MANY_QUERIES, `${MAX_WAITING} statements are waiting already`);
    try {
      if (!isWanted())
        throw new StatementError(CANCELLED, 'The client disconnected before the statement started');
      await selectDatabase(connection, database);
      return await task(connection.session);
    } finally {
      free.push(connection);
      release();
    }
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    const { read, write } = this.#lanes;
    await Promise.all([read.semaphore.idle(), write.semaphore.idle()]);
  }

  /** Call only when idle: closing a connection during an operation aborts the engine for the whole process. */
  close(): void {
    const { read, write } = this.#lanes;
    for (const { session } of [...read.connections, ...write.connections]) session.close();
  }
}

async function selectDatabase(connection: Connection, database: string): Promise<void> {
  if (connection.database === database) return;
  if (!/^\w+$/.test(database))
    throw new StatementError(UNKNOWN_DATABASE, 'Database name is not a plain word');
  await connection.session.queryAsync(`USE ${database}`);
  connection.database = database;
}
